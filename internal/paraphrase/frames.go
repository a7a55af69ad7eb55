package paraphrase

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/draw"
)

// frame is what may stand before and behind a text of one kind, whatever its class.
type frame struct {
	Leads   []string `yaml:"leads"`   // a whole sentence, or words up to a comma or colon or "that"
	Closers []string `yaml:"closers"` // whole sentences
}

// asks reports whether a sentence begins like a question.
func (r *Rules) asks(s string) bool {
	return r.begins(s, r.questions) && !r.begins(s, r.noQuestions)
}

// states reports whether a sentence begins like a statement: with a subject that stands alone, or with one that a verb
// follows within eight words.
func (r *Rules) states(s string) bool {
	if r.begins(s, r.noStatements) || strings.HasSuffix(s, "?") {
		return false
	}
	if r.begins(s, r.subjects) {
		return true
	}
	if !r.begins(s, r.articles) {
		return false
	}
	words := strings.Fields(s)
	for _, w := range words[min(2, len(words)):min(9, len(words))] {
		if slices.Contains(r.verbs, plainWord(w)) {
			return true
		}
	}
	return false
}

// begins reports whether a text begins with one of the phrases, which are in small letters, and goes on behind it.
func (r *Rules) begins(s string, phrases []string) bool {
	for _, p := range phrases {
		if len(s) > len(p) && strings.EqualFold(s[:len(p)], p) {
			if next, _ := utf8.DecodeRuneInString(s[len(p):]); !unicode.IsLetter(next) && next != '\'' && next != '’' {
				return true
			}
		}
	}
	return false
}

// kind returns the frame for a text by its first sentence, or nil.
func (r *Rules) kind(first string) *frame {
	switch {
	case r.asks(first):
		return &r.ofQuestions
	case r.commands(first):
		return &r.ofCommands
	case r.states(first):
		return &r.ofStatements
	}
	return nil
}

// framed puts words before or a sentence behind a text.
func (r *Rules) framed(text string, f *frame, perMille int, d draw.Stream) string {
	if strings.Contains(text, "\n") || shouting(text) { // more than what the speaker says: a document, a list; or shouts
		return text
	}
	if !d.Chance(perMille) {
		return text
	}
	if len(f.Closers) > 0 && d.Chance(250) && !strings.HasSuffix(text, ",") && !strings.HasSuffix(text, ":") {
		closer := f.Closers[d.Below(len(f.Closers))]
		body, mark := cutMark(text)
		last, _ := utf8.DecodeLastRuneInString(body)
		switch {
		case !unicode.IsLetter(last):
			return text
		case mark == "" && f == &r.ofQuestions:
			mark = "?"
		case mark == "":
			mark = "."
		}
		return body + mark + " " + closer
	}
	lead := f.Leads[d.Below(len(f.Leads))]
	if !strings.ContainsAny(lead[len(lead)-1:], ".!?") {
		if f == &r.ofCommands && r.prefixed.MatchString(text) {
			return text // a request before a request
		}
		if first, _ := utf8.DecodeRuneInString(text); unicode.IsLower(first) {
			lead = lowered(lead)
		}
		text = lowered(text)
	} else {
		text = capital(text)
	}
	return lead + " " + text
}
