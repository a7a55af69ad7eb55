package paraphrase

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a sentence and the white space behind it.
type piece struct{ text, gap string }

// sentences cuts a text behind . ! ? before white space and a capital or a masked part, and at line ends.
func sentences(text string) []piece {
	var out []piece
	start := 0
	for i := 0; i < len(text); i++ {
		end := text[i] == '\n'
		if !end && !strings.ContainsRune(".!?", rune(text[i])) {
			continue
		}
		stop := i
		if !end {
			stop++
		}
		next := stop
		for next < len(text) && strings.ContainsRune(" \t\n\r", rune(text[next])) {
			next++
		}
		first, _ := utf8.DecodeRuneInString(text[next:])
		if !end && (next == stop || next < len(text) && !unicode.IsUpper(first) && !isMask(first)) {
			continue
		}
		if next == len(text) && next == stop {
			continue
		}
		out = append(out, piece{text[start:stop], text[stop:next]})
		start, i = next, next-1
	}
	if start < len(text) {
		out = append(out, piece{text[start:], ""})
	}
	return out
}

func assemble(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
		b.WriteString(p.gap)
	}
	return b.String()
}

var (
	clause = regexp.MustCompile(`^(If|When|Whenever|Once|Before|After|Unless|While|As soon as|To) ` +
		`([^,.;:!?\n]+), (?:then )?([^,.;:!?\n]+)([.!])$`)
	// pointers may point from the main clause into the other one, so the order stays.
	pointers = regexp.MustCompile(`(?i)\b(?:it|its|they|them|their|he|him|his|she|her|this|that|these|those|one|so|` +
		`and|but|there|instead)\b`)
	item = regexp.MustCompile(`^[ \t]*(?:[-*•]|[0-9]{1,2}[.)])[ \t]+(\S.*)$`)
)

// reorder moves a clause of condition, time or purpose from the front of a sentence to its end.
func reorder(s string) string {
	m := clause.FindStringSubmatch(s)
	if m == nil || pointers.MatchString(m[3]) || len(strings.Fields(m[2])) > 12 {
		return s
	}
	first, _ := utf8.DecodeRuneInString(m[3])
	if !unicode.IsLetter(first) {
		return s
	}
	return capital(m[3]) + " " + small(m[1]) + " " + m[2] + m[4]
}

var (
	behind = regexp.MustCompile(`^([^,;:!?]+?) (if|unless|because|until) ([^,.;:!?]+)([.!])$`)
	// bound words keep what follows where it is: a question, a comparison, or a clause that hangs on another one.
	bound = regexp.MustCompile(`(?i)\b(?:as|even|only|just|know|wonder|wondering|ask|see|check|me|us|him|them|what|and|` +
		`or|sure|whether|but|not|especially|is|are|it|like)$|` +
		`\b(?:that|who|which|how|what|whether|where|when|why|if|said|say|says|tell)\b`)
)

// front moves a clause of condition or cause from the end of a sentence to its front.
func front(s string) string {
	m := behind.FindStringSubmatch(s)
	if m == nil || bound.MatchString(m[1]) || pointers.MatchString(m[3]) || len(strings.Fields(m[3])) < 2 ||
		strings.HasPrefix(m[3], "of ") || strings.HasPrefix(strings.ToLower(m[1]), "please") {
		return s
	}
	return capital(m[2]) + " " + m[3] + ", " + lowered(m[1]) + m[4]
}

// sentence makes one sentence of the first list of two to five commands, an item a line.
func (r *Rules) sentence(text string) string {
	lines := strings.Split(text, "\n")
	for from := 0; from < len(lines); from++ {
		to := from
		var steps []string
		for to < len(lines) {
			m := item.FindStringSubmatch(strings.TrimRight(lines[to], " \t\r"))
			if m == nil {
				break
			}
			step := strings.TrimRight(m[1], ".;,")
			if !r.imperative(step) || len(step) > 120 || strings.ContainsAny(step, ".!?;:") || shouting(step) {
				return text
			}
			steps = append(steps, small(step))
			to++
		}
		if len(steps) == 0 {
			continue
		}
		if len(steps) < 2 || len(steps) > 5 {
			return text
		}
		last := len(steps) - 1
		said := "First, " + steps[0]
		for _, s := range steps[1:last] {
			said += "; then " + s
		}
		if last > 1 {
			said += "; finally, " + steps[last] + "."
		} else {
			said += ", then " + steps[last] + "."
		}
		return strings.Join(append(append(append([]string{}, lines[:from]...), said), lines[to:]...), "\n")
	}
	return text
}
