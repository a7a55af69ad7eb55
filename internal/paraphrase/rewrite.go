package paraphrase

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/draw"
)

// RulesModel is the generator of what the rules write.
const RulesModel = "rules/1"

// ByRules is the provider that works offline: it rewords by the phrases of a rule file around the payload, which stays
// as it is. It takes English texts only. What it says for a request depends on the draws' seed and the request alone.
type ByRules struct {
	rules *Rules
	seed  int64
}

// NewByRules returns the provider with the given seed of its draws.
func NewByRules(rules *Rules, seed int64) *ByRules { return &ByRules{rules, seed} }

// Model returns RulesModel.
func (p *ByRules) Model() string { return RulesModel }

// Rewrite rewords the seed, or returns ErrNone: for other languages, for texts in disguise, where no payload can be
// told from the words around it, and where no rule applies.
func (p *ByRules) Rewrite(ctx context.Context, r Request) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	kept, ok := spans(r.Seed.Text)
	if !ok || r.Seed.Language != "" && r.Seed.Language != "en" {
		return "", ErrNone
	}
	kept = p.rules.beyondOpener(r.Seed.Text, kept)
	masked, parts, ok := mask(r.Seed.Text, kept)
	if !ok || noisy(masked) || slices.ContainsFunc(parts, strewn) || !p.rules.english(masked) {
		return "", ErrNone
	}
	d := draw.New(p.seed, "paraphrase", fmt.Sprintf("%s\x00%d\x00%d", r.Seed.ID, r.Round, r.Try))
	text := p.rules.reword(masked, d)
	if text == masked {
		if !p.rules.applies(masked) {
			return "", ErrNone
		}
		return "", &Rejected{SameAsSeed}
	}
	return unmask(text, parts), nil
}

// firstMask is the private character that stands for the first part that stays.
const firstMask, lastMask = 0xF0000, 0xFFFFD

// mask puts a private character in the place of each span.
func mask(text string, kept []span) (string, []string, bool) {
	if strings.ContainsFunc(text, isMask) || !utf8.ValidString(text) || len(kept) > lastMask-firstMask {
		return "", nil, false
	}
	var b strings.Builder
	parts := make([]string, len(kept))
	at := 0
	for i, s := range kept {
		b.WriteString(text[at:s.start])
		b.WriteRune(rune(firstMask + i))
		parts[i] = text[s.start:s.end]
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String(), parts, true
}

func unmask(text string, parts []string) string {
	var b strings.Builder
	for _, r := range text {
		if isMask(r) {
			b.WriteString(parts[r-firstMask])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isMask(r rune) bool { return firstMask <= r && r <= lastMask }

// noise finds letters replaced by signs or digits, and signs strewn between words.
var noise = regexp.MustCompile(`\p{L}[!@$|€+]\p{L}|\b\p{Ll}+[0-9]\p{Ll}+\b|(?:^|\s)[_;,.](?:\s|$)|\s[:!?](?:\s|$)`)

// strewn reports whether a part begins with a sign that belongs to nothing.
func strewn(part string) bool {
	return len(part) > 1 && strings.ContainsRune(";,._-:", rune(part[0])) && part[1] == ' ' && !morseLike.MatchString(part)
}

var morseLike = regexp.MustCompile(`^[.\-·− /]+$`)

// beyondOpener leaves out the names inside the opener that a text begins with: the opener is replaced as a whole.
func (r *Rules) beyondOpener(text string, kept []span) []span {
	payload := slices.DeleteFunc(slices.Clone(kept), func(s span) bool { return !s.payload })
	masked, _, ok := mask(text, payload)
	if !ok {
		return kept
	}
	for _, c := range r.openers {
		if m := c.match.FindStringSubmatchIndex(masked); m != nil && len(m) == 4 { // no free words, so no name to lose
			end := m[3]
			if i := strings.IndexFunc(masked, isMask); i >= 0 && i < end {
				continue
			}
			return slices.DeleteFunc(slices.Clone(kept), func(s span) bool { return !s.payload && s.end <= end })
		}
	}
	return kept
}

// noisy reports whether the words of a text are in disguise: no phrase of ours would be at home there.
func noisy(masked string) bool {
	if noise.MatchString(masked) {
		return true
	}
	return strings.ContainsFunc(masked, func(r rune) bool {
		return r > 0x7F && !isMask(r) && (unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) || unicode.IsMark(r) ||
			unicode.Is(unicode.Cf, r) || r >= 0x1D400 && r <= 0x1D7FF)
	})
}

// reword applies each kind of change by its own draws.
func (r *Rules) reword(text string, d draw.Stream) string {
	if d.Chance(700) {
		text = r.sentence(text)
	}
	pieces := sentences(text)
	for i := range pieces {
		s := pieces[i].text
		if d.Chance(700) {
			s = reorder(s)
		}
		if i > 0 { // the first is the business of begin
			s = apply(r.starts, s, 800, d)
		}
		s = apply(r.phrases, s, 900, d)
		pieces[i].text = apply(r.contractions, s, 500, d)
	}
	if len(pieces) > 0 {
		pieces[0].text = r.begin(pieces[0].text, d)
		text = assemble(pieces)
		if r.commands(pieces[0].text) {
			text = r.frame(text, d)
		}
	}
	return text
}

// applies reports whether any rule finds something in the text.
func (r *Rules) applies(text string) bool {
	if r.sentence(text) != text {
		return true
	}
	for i, p := range sentences(text) {
		if reorder(p.text) != p.text || r.commands(p.text) && i == 0 {
			return true
		}
		for _, set := range [][]change{r.openers, r.starts, r.phrases, r.contractions} {
			for _, c := range set {
				if strings.Contains(strings.ToLower(p.text), c.literal) && c.match.MatchString(p.text) {
					return true
				}
			}
		}
	}
	return false
}

// begin rewords the beginning of a text: its opener, or its verb and the words of courtesy before it.
func (r *Rules) begin(s string, d draw.Stream) string {
	if out := apply(r.openers, s, 950, d); out != s {
		return out
	}
	bare := s
	if m := r.prefixed.FindString(s); m != "" {
		bare = capital(s[len(m):])
	}
	if !r.imperative(bare) {
		return apply(r.starts, s, 800, d)
	}
	bare = apply(r.starts, bare, 800, d)
	if !d.Chance(700) {
		return bare
	}
	prefix := r.prefixes[d.Below(len(r.prefixes))]
	if shouting(bare) {
		return s
	}
	if strings.Contains(strings.ToLower(bare), "please") {
		return bare
	}
	return prefix + " " + small(bare)
}

// frame puts a sentence before or behind a text that commands something.
func (r *Rules) frame(text string, d draw.Stream) string {
	if strings.Contains(text, "\n") { // more than what the speaker says: a document, a list
		return text
	}
	if d.Chance(100) {
		text = r.leads[d.Below(len(r.leads))] + " " + text
	}
	if end := text[len(text)-1]; (end == '.' || end == '!') && d.Chance(120) {
		text += " " + r.closers[d.Below(len(r.closers))]
	}
	return text
}

// commands reports whether a sentence begins with a command, a prefix before it or not.
func (r *Rules) commands(s string) bool {
	return r.imperative(s) || r.imperative(s[len(r.prefixed.FindString(s)):])
}

// imperative reports whether a sentence begins with a verb of the list.
func (r *Rules) imperative(s string) bool {
	end := strings.IndexFunc(s, func(c rune) bool { return !unicode.IsLetter(c) })
	if end < 0 {
		end = len(s)
	}
	verb := strings.ToLower(s[:end])
	if !r.imperatives[verb] || !r.nouns[verb] || strings.HasPrefix(s[end:], ":") {
		return r.imperatives[verb]
	}
	next := strings.Fields(s[end:])
	return len(next) > 0 && slices.Contains(r.objects, plainWord(next[0]))
}
