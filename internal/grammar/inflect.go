package grammar

import (
	"strings"
	"unicode"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// wordForms are the exceptions to the rules of English inflection.
type wordForms struct {
	ing, ed, s, plural map[string]string
	an                 map[string]bool // words by whether they take "an"
}

type wordsYAML struct {
	Ing    map[string]text `yaml:"ing"`
	Ed     map[string]text `yaml:"ed"`
	S      map[string]text `yaml:"s"`
	Plural map[string]text `yaml:"plural"`
	A      []text          `yaml:"a"`
	An     []text          `yaml:"an"`
}

func newWordForms() *wordForms {
	return &wordForms{ing: map[string]string{}, ed: map[string]string{}, s: map[string]string{},
		plural: map[string]string{}, an: map[string]bool{}}
}

func (w *wordForms) add(y wordsYAML, src *strictyaml.File) error {
	for _, l := range []struct {
		name string
		from map[string]text
		to   map[string]string
	}{{"ing", y.Ing, w.ing}, {"ed", y.Ed, w.ed}, {"s", y.S, w.s}, {"plural", y.Plural, w.plural}} {
		for _, word := range sortedKeys(l.from) {
			t := l.from[word]
			if t.s == "" || l.to[word] != "" {
				return src.Fail(max(t.line, 1), "field %s holds %s for %s, expected one form for each word", l.name,
					fault.Quote(t.s), fault.Quote(word))
			}
			l.to[word] = t.s
		}
	}
	for _, l := range []struct {
		name  string
		words []text
		an    bool
	}{{"a", y.A, false}, {"an", y.An, true}} {
		for _, t := range l.words {
			if _, ok := w.an[t.s]; ok || t.s == "" {
				return src.Fail(t.line, "field %s holds %s, expected each word once", l.name, fault.Quote(t.s))
			}
			w.an[t.s] = l.an
		}
	}
	return nil
}

// inflect applies forms to a value: those of verbs to its first word, the plural to its last one or to the whole where
// the exceptions hold it.
func (w *wordForms) inflect(value string, forms []string) string {
	for _, form := range forms {
		switch form {
		case "cap":
			value = capitalise(value)
		case "lower":
			value = strings.ToLower(value)
		case "upper":
			value = strings.ToUpper(value)
		case "plural":
			if whole, ok := w.plural[value]; ok {
				value = whole
				continue
			}
			cut := strings.LastIndexByte(value, ' ') + 1
			value = value[:cut] + form3(value[cut:], w.plural)
		default:
			verb, rest := value, ""
			if cut := strings.IndexFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }); cut >= 0 {
				verb, rest = value[:cut], value[cut:]
			}
			switch form {
			case "ing":
				verb = ing(verb, w.ing)
			case "ed":
				verb = ed(verb, w.ed)
			case "s":
				verb = form3(verb, w.s)
			}
			value = verb + rest
		}
	}
	return value
}

// form3 is the third person of a verb or the plural of a noun.
func form3(word string, exceptions map[string]string) string {
	if f, ok := exceptions[word]; ok {
		return f
	}
	switch {
	case word == "":
		return ""
	case endsIn(word, "s", "x", "z", "ch", "sh"):
		return word + "es"
	case endsIn(word, "y") && !vowelBefore(word, 1):
		return word[:len(word)-1] + "ies"
	}
	return word + "s"
}

func ing(verb string, exceptions map[string]string) string {
	if f, ok := exceptions[verb]; ok {
		return f
	}
	switch {
	case verb == "":
		return ""
	case endsIn(verb, "ie"):
		return verb[:len(verb)-2] + "ying"
	case endsIn(verb, "e") && !endsIn(verb, "ee", "oe", "ye") && len(verb) > 2:
		return verb[:len(verb)-1] + "ing"
	case doubles(verb):
		return verb + verb[len(verb)-1:] + "ing"
	}
	return verb + "ing"
}

func ed(verb string, exceptions map[string]string) string {
	if f, ok := exceptions[verb]; ok {
		return f
	}
	switch {
	case verb == "":
		return ""
	case endsIn(verb, "e"):
		return verb + "d"
	case endsIn(verb, "y") && !vowelBefore(verb, 1):
		return verb[:len(verb)-1] + "ied"
	case doubles(verb):
		return verb + verb[len(verb)-1:] + "ed"
	}
	return verb + "ed"
}

// doubles reports whether a verb of one syllable ends in one vowel and one consonant that is doubled. Longer ones that
// double it (submit, forget) are exceptions of the data.
func doubles(verb string) bool {
	n := len(verb)
	if n < 3 || endsIn(verb, "w", "x", "y") || isVowel(verb[n-1]) || !isVowel(verb[n-2]) {
		return false
	}
	vowels := 0
	for i := range n {
		if isVowel(verb[i]) && !(verb[i] == 'u' && i > 0 && verb[i-1] == 'q') {
			vowels++
		}
	}
	return vowels == 1
}

func isVowel(c byte) bool { return strings.IndexByte("aeiouAEIOU", c) >= 0 }

func vowelBefore(word string, fromEnd int) bool {
	return len(word) > fromEnd && isVowel(word[len(word)-1-fromEnd])
}

func endsIn(word string, endings ...string) bool {
	for _, e := range endings {
		if strings.HasSuffix(strings.ToLower(word), e) {
			return true
		}
	}
	return false
}

// takesAn reports whether "an" stands before a text: by the exceptions, by the names of the letters for an
// abbreviation, else by the first letter.
func (w *wordForms) takesAn(text string) bool {
	word := text
	if cut := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); cut >= 0 {
		word = text[:cut]
	}
	for _, s := range []string{word, strings.ToLower(word)} {
		if an, ok := w.an[s]; ok {
			return an
		}
	}
	if word == "" {
		return false
	}
	if len(word) > 1 && strings.ToUpper(word) == word && strings.ToLower(word) != word {
		return strings.IndexByte("AEFHILMNORSX8", word[0]) >= 0
	}
	return isVowel(word[0]) || word[0] == '8'
}
