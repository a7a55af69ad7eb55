package textnorm

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// caseFold is full Unicode case folding (ß becomes ss); it keeps no state.
var caseFold = cases.Fold()

// Exact returns the form in which two rows count as the same text: NFKC, full Unicode case folding, white space
// collapsed and trimmed, all quotation marks folded to the apostrophe. Accents, punctuation, look-alike letters and
// zero-width characters still tell texts apart. It levels strictly more than the original benchmark's key, which
// trims, lower-cases, collapses white space and folds the double quote.
func Exact(s string) string { return collapse(foldNFKC(valid(s)), quote) }

// foldNFKC is the compatibility caseless form of the Unicode standard (definition D146, section 3.13), which unlike one
// pass of each step is stable when applied again.
func foldNFKC(s string) string {
	s = caseFold.String(norm.NFD.String(s))
	return norm.NFKC.String(caseFold.String(norm.NFKD.String(s)))
}

// quote folds quotation marks of every direction and width to the apostrophe. The backtick stays: in prompts it marks
// code.
func quote(r rune) rune {
	switch r {
	case '"', '‘', '’', '‚', '‛', '“', '”', '„', '‟', '‹', '›', '«', '»', '′', '‵':
		return '\''
	}
	return r
}
