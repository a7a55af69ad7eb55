// Package textnorm holds the three named normalisers and nothing else. Which one a caller means is always said by name:
//
//   - Fingerprint identifies a text that is withheld: only invisible layout differences are levelled, case is kept.
//   - Exact decides whether two rows are the same text.
//   - Skeleton decides whether two rows look the same to a reader, disguise removed.
//
// Texts with equal Exact forms have equal Skeleton forms. Exact and Skeleton are idempotent, and so is Fingerprint.
// Invalid UTF-8 is read as U+FFFD, one for each offending byte.
package textnorm

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fingerprint returns s without the control characters below U+0020 (LF, tab and CR stay), with every run of Unicode
// white space collapsed to one space, and trimmed. Case, accents and everything else are kept. It is the form that the
// original benchmark hashes to identify the texts it withholds.
func Fingerprint(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s {
		switch {
		case r < 0x20 && r != '\n' && r != '\t' && r != '\r':
			// dropped before white space is looked at, so that U+001C to U+001F, which Python takes for white
			// space, leave no gap either
		case unicode.IsSpace(r):
			gap = b.Len() > 0
		default:
			if gap {
				b.WriteByte(' ')
				gap = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ExactHash returns the lower-case hex SHA-256 of the UTF-8 bytes of Exact(s): 64 characters. Reviewed lists name rows
// by it, so that no text has to be stored.
func ExactHash(s string) string {
	sum := sha256.Sum256([]byte(Exact(s)))
	return hex.EncodeToString(sum[:])
}

// collapse trims s and makes one space of every run of white space, U+001C to U+001F included. It maps every other
// rune by fold.
func collapse(s string, fold func(rune) rune) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s {
		if unicode.IsSpace(r) || r >= 0x1C && r <= 0x1F {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(fold(r))
	}
	return b.String()
}

// valid returns s with every byte that is not part of valid UTF-8 replaced by U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
