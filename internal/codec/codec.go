// Package codec writes texts in the encodings and ciphers that disguised attacks use, by their true names: a text said
// to be Morse is Morse. Families kept for held-out disguises (reversed text, full-width and mathematical letters, tag
// characters, dropped vowels, upside-down letters) are not here.
package codec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// Scheme is one encoding or cipher. For every text x that it takes, Decode(Encode(x)) equals Canonical(x), and
// Encode(x) differs from x.
type Scheme struct {
	Name  string   // as frame files write it: base64, hex, caesar:3, …
	Names []string // what people call it in a sentence, in mid-sentence case, the usual one first
	Takes string   // the texts it can write, in words
	Lossy bool     // letter case and the width of white space are lost; Canonical says to what

	encode    func(string) (string, error)
	decode    func(string) (string, error)
	canonical func(string) string
}

// Encode returns the text in the scheme. A text that is empty or not UTF-8, that holds a character the scheme has no
// code for, or that the scheme would leave as it is, is an error.
func (s Scheme) Encode(text string) (string, error) {
	if text == "" {
		return "", fmt.Errorf("an empty text has no form in %s", s.Name)
	}
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("the text %s is not UTF-8", fault.Quote(text))
	}
	out, err := s.encode(text)
	if err != nil {
		return "", fmt.Errorf("%s cannot write %s: %w", s.Name, fault.Quote(text), err)
	}
	if out == text {
		return "", fmt.Errorf("%s leaves %s as it is: it changes only A to Z", s.Name, fault.Quote(text))
	}
	return out, nil
}

// Decode returns the text that Encode wrote, in canonical form. What Encode never writes (another letter case, missing
// padding, other gaps, bytes that are not UTF-8) is an error, so that Encode(Decode(y)) equals y.
func (s Scheme) Decode(coded string) (string, error) {
	text, err := s.decode(coded)
	if err == nil {
		var again string
		if again, err = s.Encode(text); err == nil && again != coded {
			err = errors.New("it would be written in another way")
		}
	}
	if err != nil {
		return "", fmt.Errorf("%s is no %s: %w", fault.Quote(coded), s.Name, err)
	}
	return text, nil
}

// Canonical returns what is left of a text after Encode and Decode: the text itself unless the scheme is lossy.
func (s Scheme) Canonical(text string) string {
	if s.canonical == nil {
		return text
	}
	return s.canonical(text)
}

// Schemes returns all schemes in a fixed order. Of the Caesar ciphers it holds the one of shift 3; ByName knows the
// other shifts.
func Schemes() []Scheme {
	return []Scheme{
		base64Std(), base64URL(), base32Std(), hexBytes(), binaryBytes(), decimalCodes(), percent(), entities(),
		rot13(), caesar(3), atbash(), morse(), nato(),
	}
}

// ByName returns the scheme of that name; caesar:N stands for a shift by N letters, 1 to 25 without 13, which is rot13.
func ByName(name string) (Scheme, bool) {
	for _, s := range Schemes() {
		if s.Name == name {
			return s, true
		}
	}
	digits, found := strings.CutPrefix(name, "caesar:")
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 1 || n > 25 || n == 13 || digits != strconv.Itoa(n) {
		return Scheme{}, false
	}
	return caesar(n), true
}
