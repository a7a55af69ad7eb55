package codec

import (
	"fmt"
	"strconv"
	"strings"
)

const latin = "any text with at least one letter A to Z; all else stays as it is"

func rot13() Scheme {
	return Scheme{Name: "rot13", Names: []string{"ROT13", "rot13"}, Takes: latin, encode: shift(13), decode: shift(13)}
}

// caesar moves each letter n places on in the alphabet.
func caesar(n int) Scheme {
	by := strconv.Itoa(n)
	return Scheme{
		Name: "caesar:" + by, Takes: latin, encode: shift(n), decode: shift(26 - n),
		Names: []string{"a Caesar cipher with shift " + by, "a Caesar shift of " + by},
	}
}

func atbash() Scheme {
	mirror := letters(func(i int) int { return 25 - i })
	return Scheme{Name: "atbash", Names: []string{"Atbash", "the Atbash cipher"}, Takes: latin,
		encode: mirror, decode: mirror}
}

func shift(n int) func(string) (string, error) {
	return letters(func(i int) int { return (i + n) % 26 })
}

// letters maps the letters A to Z by their place in the alphabet, case kept.
func letters(to func(int) int) func(string) (string, error) {
	return func(s string) (string, error) {
		return strings.Map(func(r rune) rune {
			switch {
			case 'a' <= r && r <= 'z':
				return 'a' + rune(to(int(r-'a')))
			case 'A' <= r && r <= 'Z':
				return 'A' + rune(to(int(r-'A')))
			}
			return r
		}, s), nil
	}
}

// morseCodes are those of Recommendation ITU-R M.1677-1, and of ! & ; _ $, which are in common use.
var morseCodes = map[rune]string{
	'A': ".-", 'B': "-...", 'C': "-.-.", 'D': "-..", 'E': ".", 'F': "..-.", 'G': "--.", 'H': "....", 'I': "..",
	'J': ".---", 'K': "-.-", 'L': ".-..", 'M': "--", 'N': "-.", 'O': "---", 'P': ".--.", 'Q': "--.-", 'R': ".-.",
	'S': "...", 'T': "-", 'U': "..-", 'V': "...-", 'W': ".--", 'X': "-..-", 'Y': "-.--", 'Z': "--..",
	'0': "-----", '1': ".----", '2': "..---", '3': "...--", '4': "....-", '5': ".....", '6': "-....", '7': "--...",
	'8': "---..", '9': "----.", '.': ".-.-.-", ',': "--..--", ':': "---...", '?': "..--..", '\'': ".----.",
	'-': "-....-", '/': "-..-.", '(': "-.--.", ')': "-.--.-", '"': ".-..-.", '=': "-...-", '+': ".-.-.", '@': ".--.-.",
	'!': "-.-.--", '&': ".-...", ';': "-.-.-.", '_': "..--.-", '$': "...-..-",
}

// natoWords are the code words of the International Civil Aviation Organization, and the digits by their usual names.
var natoWords = map[rune]string{
	'A': "Alfa", 'B': "Bravo", 'C': "Charlie", 'D': "Delta", 'E': "Echo", 'F': "Foxtrot", 'G': "Golf", 'H': "Hotel",
	'I': "India", 'J': "Juliett", 'K': "Kilo", 'L': "Lima", 'M': "Mike", 'N': "November", 'O': "Oscar", 'P': "Papa",
	'Q': "Quebec", 'R': "Romeo", 'S': "Sierra", 'T': "Tango", 'U': "Uniform", 'V': "Victor", 'W': "Whiskey",
	'X': "Xray", 'Y': "Yankee", 'Z': "Zulu", '0': "Zero", '1': "One", '2': "Two", '3': "Three", '4': "Four",
	'5': "Five", '6': "Six", '7': "Seven", '8': "Eight", '9': "Nine",
}

func morse() Scheme {
	s := table(morseCodes)
	s.Name, s.Names = "morse", []string{"Morse code", "Morse"}
	s.Takes = "words of A to Z, digits and . , : ; ? ! ' - _ / ( ) \" = + @ & $; case is lost"
	return s
}

func nato() Scheme {
	s := table(natoWords)
	s.Name, s.Names = "nato", []string{"the NATO alphabet", "the NATO phonetic alphabet"}
	s.Takes = "words of A to Z and digits; case is lost"
	return s
}

// table codes each character by a word, with a space between two and a stroke between words. Small letters are read as
// capitals, any white space as one gap between words.
func table(codes map[rune]string) Scheme {
	back := make(map[string]rune, len(codes))
	for r, code := range codes {
		back[code] = r
	}
	// Only a to z: full upper-casing would make of ß and ſ what the tables know.
	canonical := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' {
				return r - 'a' + 'A'
			}
			return r
		}, strings.Join(strings.Fields(s), " "))
	}
	return Scheme{
		Lossy: true, canonical: canonical,
		encode: func(s string) (string, error) {
			var out []string
			for _, r := range canonical(s) {
				code, ok := codes[r]
				if r == ' ' {
					code, ok = "/", true
				}
				if !ok {
					return "", fmt.Errorf("there is no code for %q", r)
				}
				out = append(out, code)
			}
			if len(out) == 0 {
				return "", fmt.Errorf("it is only white space")
			}
			return strings.Join(out, " "), nil
		},
		decode: func(s string) (string, error) {
			var b strings.Builder
			for _, group := range strings.Split(s, " ") {
				r, ok := back[group]
				if group == "/" {
					r, ok = ' ', true
				}
				if !ok {
					return "", fmt.Errorf("there is no character for one of its groups")
				}
				b.WriteRune(r)
			}
			return b.String(), nil
		},
	}
}
