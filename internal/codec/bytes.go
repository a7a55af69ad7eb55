package codec

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

const anyText = "any text"

func base64Std() Scheme {
	return Scheme{
		Name: "base64", Names: []string{"Base64", "base64"}, Takes: anyText,
		encode: func(s string) (string, error) { return base64.StdEncoding.EncodeToString([]byte(s)), nil },
		decode: func(s string) (string, error) { return text(base64.StdEncoding.DecodeString(s)) },
	}
}

// base64URL is base64 with the alphabet of RFC 4648, section 5, without padding, as in tokens and addresses.
func base64URL() Scheme {
	return Scheme{
		Name: "base64url", Names: []string{"base64url", "URL-safe Base64"}, Takes: anyText,
		encode: func(s string) (string, error) { return base64.RawURLEncoding.EncodeToString([]byte(s)), nil },
		decode: func(s string) (string, error) { return text(base64.RawURLEncoding.DecodeString(s)) },
	}
}

func base32Std() Scheme {
	return Scheme{
		Name: "base32", Names: []string{"Base32", "base32"}, Takes: anyText,
		encode: func(s string) (string, error) { return base32.StdEncoding.EncodeToString([]byte(s)), nil },
		decode: func(s string) (string, error) { return text(base32.StdEncoding.DecodeString(s)) },
	}
}

func hexBytes() Scheme {
	return Scheme{
		Name: "hex", Names: []string{"hex", "hexadecimal"}, Takes: anyText,
		encode: func(s string) (string, error) { return hex.EncodeToString([]byte(s)), nil },
		decode: func(s string) (string, error) { return text(hex.DecodeString(s)) },
	}
}

// binaryBytes writes each byte of the UTF-8 form as eight digits.
func binaryBytes() Scheme {
	return Scheme{
		Name: "binary", Names: []string{"binary", "8-bit binary"}, Takes: anyText,
		encode: func(s string) (string, error) {
			return join(len(s), func(i int) string { return fmt.Sprintf("%08b", s[i]) }), nil
		},
		decode: func(s string) (string, error) {
			var b []byte
			for _, group := range strings.Split(s, " ") {
				n, err := strconv.ParseUint(group, 2, 8)
				if err != nil {
					return "", errors.New("a group is not eight binary digits")
				}
				b = append(b, byte(n))
			}
			return text(b, nil)
		},
	}
}

// decimalCodes writes the number of each character: its Unicode code point, which for English letters is its ASCII
// code.
func decimalCodes() Scheme {
	return Scheme{
		Name: "decimal", Names: []string{"decimal character codes", "ASCII codes"}, Takes: anyText,
		encode: func(s string) (string, error) {
			runes := []rune(s)
			return join(len(runes), func(i int) string { return strconv.Itoa(int(runes[i])) }), nil
		},
		decode: func(s string) (string, error) {
			var b strings.Builder
			for _, group := range strings.Split(s, " ") {
				n, err := strconv.ParseInt(group, 10, 32)
				if err != nil || !utf8.ValidRune(rune(n)) {
					return "", errors.New("a group is no character code")
				}
				b.WriteRune(rune(n))
			}
			return b.String(), nil
		},
	}
}

// percent writes every byte as in an address, letters too, so that nothing of the text shows.
func percent() Scheme {
	return Scheme{
		Name: "url", Names: []string{"URL encoding", "percent-encoding"}, Takes: anyText,
		encode: func(s string) (string, error) {
			var b strings.Builder
			for i := range len(s) {
				fmt.Fprintf(&b, "%%%02X", s[i])
			}
			return b.String(), nil
		},
		decode: func(s string) (string, error) {
			if len(s)%3 != 0 {
				return "", errors.New("it does not consist of %XX")
			}
			return text(hex.DecodeString(strings.ReplaceAll(s, "%", "")))
		},
	}
}

// entities writes every character as a numeric character reference of HTML.
func entities() Scheme {
	return Scheme{
		Name: "html", Names: []string{"HTML entities", "HTML character references"},
		Takes: "any text without NUL, CR and the controls U+0080 to U+009F, which HTML reads as other characters",
		encode: func(s string) (string, error) {
			var b strings.Builder
			for _, r := range s {
				ref := "&#" + strconv.Itoa(int(r)) + ";"
				if html.UnescapeString(ref) != string(r) || r == '\r' {
					return "", fmt.Errorf("HTML reads the reference to %q as another character", r)
				}
				b.WriteString(ref)
			}
			return b.String(), nil
		},
		decode: func(s string) (string, error) { return html.UnescapeString(s), nil },
	}
}

// text takes bytes for a text.
func text(b []byte, err error) (string, error) {
	if err == nil && !utf8.Valid(b) {
		err = errors.New("its bytes are not UTF-8")
	}
	return string(b), err
}

// join writes n groups with a space between two.
func join(n int, group func(int) string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = group(i)
	}
	return strings.Join(out, " ")
}
