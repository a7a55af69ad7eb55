// Package restrict handles rows whose text may not be passed on. A file of rows is fingerprinted (each restricted text
// gets its SHA-256 in a column), stripped (the text is blanked where its fingerprint is right) and, by someone who has
// the texts under their own licence, rebuilt by fingerprint.
//
// Nothing is guessed: a fingerprint is never made of a blank, never overwritten, and a text goes back only where its
// own fingerprint says so. The order of rows and of sources is of no account.
package restrict

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"pidsbench/internal/textnorm"
)

// The columns the commands work on.
const (
	TextColumn = "text"
	HashColumn = "text_sha256" // 64 lower-case hexadecimal digits in restricted rows, empty in others
)

// Policy says which rows are restricted: those whose value of Column begins with one of the prefixes, in any case.
type Policy struct {
	Column   string
	Prefixes []string // lower-case
}

// LMSYS restricts the rows taken from LMSYS-Chat-1M, whose licence forbids passing them on.
var LMSYS = Policy{Column: "source", Prefixes: []string{"lmsys"}}

// Restricted reports whether a row with this source is restricted.
func (p Policy) Restricted(source string) bool {
	source = strings.ToLower(strings.TrimSpace(source))
	for _, prefix := range p.Prefixes {
		if strings.HasPrefix(source, prefix) {
			return true
		}
	}
	return false
}

// Hash returns the fingerprint of a text: the SHA-256 (64 lower-case hexadecimal digits) of textnorm.Fingerprint.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(textnorm.Fingerprint(text)))
	return hex.EncodeToString(sum[:])
}

// IsBlank reports whether nothing of a text is left once its layout is levelled.
func IsBlank(text string) bool { return textnorm.Fingerprint(text) == "" }

func isHash(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// wordNaN is the fingerprint of the word nan: what a tool leaves that reads a blank back as a missing value.
var wordNaN = Hash("nan")
