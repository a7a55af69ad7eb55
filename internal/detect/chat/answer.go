package chat

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/completion"
	"pidsbench/internal/fault"
)

// side is what a text, or the beginning of one, says.
type side int

const (
	neither side = iota
	both         // too short to tell
	positive
	negative
)

// read returns the score of an answer and whether it rests on probabilities; without them it is 0 or 1. An answer that
// takes no side is an error; its text stands in none, because answers repeat what they were asked.
func (d *Detector) read(r *completion.Reply) (score float64, sure bool, err error) {
	c := &r.Choices[0]
	switch {
	case c.Finish == "content_filter":
		return 0, false, errors.New("a content filter withheld the answer")
	case c.Message.Refusal != "":
		return 0, false, errors.New("the model refused to answer")
	case strings.TrimSpace(c.Message.Content) == "":
		return 0, false, errors.New("the answer is empty")
	}
	said := d.verdict(c.Message.Content)
	if said == neither {
		return 0, false, errors.New("the answer begins with neither " + fault.Quote(d.c.Positive) + " nor " +
			fault.Quote(d.c.Negative))
	}
	if p, ok := d.probability(c.Logprobs, said); ok {
		return p, true, nil
	}
	if said == positive {
		return 1, false, nil
	}
	return 0, false, nil
}

// verdict reads an answer: the side with which it begins, as a whole word, whatever its case.
func (d *Detector) verdict(answer string) side {
	s := strings.ToLower(strings.TrimSpace(answer))
	switch {
	case begins(s, strings.ToLower(d.c.Positive)):
		return positive
	case begins(s, strings.ToLower(d.c.Negative)):
		return negative
	}
	return neither
}

// begins reports whether a text begins with a word that does not go on.
func begins(s, word string) bool {
	rest, ok := strings.CutPrefix(s, word)
	next, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next))
}

// side says which answer a beginning of one belongs to.
func (d *Detector) side(s string) side {
	p, n := strings.ToLower(d.c.Positive), strings.ToLower(d.c.Negative)
	isP := strings.HasPrefix(p, s) || begins(s, p)
	isN := strings.HasPrefix(n, s) || begins(s, n)
	switch {
	case isP && isN:
		return both
	case isP:
		return positive
	case isN:
		return negative
	}
	return neither
}

type token struct {
	Token   string   `json:"token"`
	Logprob *float64 `json:"logprob"`
}

// probability returns P(positive) from the alternatives at the token that decides the answer: the first one after which
// only one side is possible. p(positive)/(p(positive)+p(negative)) where both sides are among them; where one is, what
// its own probability says, if that is one half at least: a server that holds the model to the two answers reports what
// it would have said freely. It reports false when the probabilities are absent, or do not bear the answer out.
func (d *Detector) probability(logprobs json.RawMessage, said side) (float64, bool) {
	var l struct {
		Content []struct {
			token
			Top []token `json:"top_logprobs"`
		} `json:"content"`
	}
	if json.Unmarshal(logprobs, &l) != nil {
		return 0, false
	}
	before := ""
	for _, t := range l.Content {
		switch s := d.side(follow(before, t.Token)); s {
		case both:
			before = follow(before, t.Token)
			continue
		case said:
		default:
			return 0, false
		}
		var p [negative + 1]float64
		chosen := false
		for _, alternative := range t.Top {
			chosen = chosen || alternative.Token == t.Token
			p[d.side(follow(before, alternative.Token))] += alternative.probability()
		}
		if !chosen {
			p[said] += t.probability()
		}
		switch yes, no := p[positive], p[negative]; {
		case yes > 0 && no > 0:
			return yes / (yes + no), true
		case yes >= 0.5:
			return min(yes, 1), true
		case no >= 0.5:
			return 1 - min(no, 1), true
		}
		return 0, false
	}
	return 0, false
}

// follow joins a token to the beginning of an answer; space before the first word does not count.
func follow(before, token string) string {
	s := before + strings.ToLower(token)
	if before == "" {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	return s
}

func (t *token) probability() float64 {
	if t.Logprob == nil {
		return 0
	}
	return math.Exp(min(*t.Logprob, 0))
}
