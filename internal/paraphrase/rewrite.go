package paraphrase

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/draw"
	"pidsbench/internal/textnorm"
)

// RulesModel is the generator of what the rules write.
const RulesModel = "rules/2"

// ByRules is the provider that works offline: it rewords by the phrases of a rule file around the payload, which stays
// as it is. It takes English texts only. What it says for a request depends on the draws' seed and the request alone.
type ByRules struct {
	rules *Rules
	seed  int64

	mu     sync.Mutex
	opened map[Seed]opened // the seeds that were asked for, since most are asked for again
}

// opened is a seed as the rules see it.
type opened struct {
	masked  string
	parts   []string    // that the masks stand for
	ok      bool        // whether it can be reworded
	applies func() bool // whether any rule finds something in it
}

// NewByRules returns the provider with the given seed of its draws.
func NewByRules(rules *Rules, seed int64) *ByRules {
	return &ByRules{rules: rules, seed: seed, opened: map[Seed]opened{}}
}

// Model returns RulesModel.
func (p *ByRules) Model() string { return RulesModel }

// Rewrite rewords the seed, or returns ErrNone: for other languages, for texts in disguise, where no payload can be
// told from the words around it, and where no rule applies.
func (p *ByRules) Rewrite(ctx context.Context, r Request) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s := p.open(r.Seed)
	if !s.ok {
		return "", ErrNone
	}
	d := draw.New(p.seed, "paraphrase", fmt.Sprintf("%s\x00%d\x00%d", r.Seed.ID, r.Round, r.Try))
	text := p.rules.reword(s.masked, d)
	if text == s.masked {
		if !s.applies() {
			return "", ErrNone
		}
		return "", &Rejected{SameAsSeed}
	}
	return unmask(text, s.parts), nil
}

// open masks what stays of a seed, once.
func (p *ByRules) open(seed Seed) opened {
	p.mu.Lock()
	s, known := p.opened[seed]
	p.mu.Unlock()
	if known {
		return s
	}
	if kept, ok := spans(seed.Text); ok && (seed.Language == "" || seed.Language == "en") {
		s.masked, s.parts, ok = mask(seed.Text, p.rules.beyondOpener(seed.Text, kept))
		s.ok = ok && !noisy(s.masked) && !slices.ContainsFunc(s.parts, strewn) && p.rules.english(s.masked)
	}
	s.applies = sync.OnceValue(func() bool { return p.rules.applies(s.masked) })
	p.mu.Lock()
	p.opened[seed] = s
	p.mu.Unlock()
	return s
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
var noise = regexp.MustCompile(`\p{L}[!@$|€+]\p{L}|\b\p{Ll}+[0-9]\p{Ll}+\b|(?:^|\s)[_;,.](?:\s|$)|\s[:!?](?:\s|$)|` +
	`\pL\.\.\. \pL+\.\.\. |^\pL+, \pL+, \pL+, \pL+$`)

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
		if m := c.match.FindStringSubmatchIndex(masked); len(m) == 4 { // no free words, so no name to lose
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

// reword applies each kind of change by its own draws. A text in which contractions alone would change stays as it is.
func (r *Rules) reword(text string, d draw.Stream) string {
	seed := text
	if d.Chance(700) {
		text = r.sentence(text)
	}
	pieces := sentences(text)
	for i := range pieces {
		s := pieces[i].text
		if d.Chance(700) {
			s = r.moved(s)
		}
		if (i == 0 || ends(pieces[i-1].text)) && d.Chance(850) {
			s = r.recast(s, d)
		}
		if i > 0 { // the first is the business of begin
			s = apply(r.starts, s, 800, d)
		}
		pieces[i].text = apply(r.phrases, s, 900, d)
	}
	if len(pieces) == 0 {
		return text
	}
	pieces[0].text = r.begin(pieces[0].text, d)
	first := pieces[0].text
	text = assemble(pieces)
	if f := r.kind(first); f != nil {
		often := 100
		if jaccard(words(textnorm.Exact(seed), true), words(textnorm.Exact(text), true)) > 0.7 { // little has changed so far
			often = 850
		}
		text = r.framed(text, f, often, d)
	}
	if text == seed {
		return seed
	}
	pieces = sentences(text)
	for i := range pieces {
		pieces[i].text = apply(r.contractions, pieces[i].text, 400, d)
	}
	return assemble(pieces)
}

// ends reports whether a line is the end of a sentence, or nothing.
func ends(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:")
}

// moved moves a clause to the other end of a sentence, which may lack its end mark.
func (r *Rules) moved(s string) string {
	_, mark := cutMark(s)
	if mark == "" {
		return strings.TrimSuffix(r.moved(s+"."), ".")
	}
	if out := reorder(s); out != s {
		return out
	}
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsUpper(first) && !r.asks(s) && (r.commands(s) || r.states(s)) {
		return front(s)
	}
	return s
}

// applies reports whether any rule finds something in the text.
func (r *Rules) applies(text string) bool {
	if r.sentence(text) != text {
		return true
	}
	for i, p := range sentences(text) {
		if r.moved(p.text) != p.text || r.recasts(p.text) || i == 0 && r.kind(p.text) != nil {
			return true
		}
		lower := strings.ToLower(p.text)
		held := trigramsOf(lower)
		for _, set := range [][]change{r.openers, r.starts, r.phrases} {
			for _, c := range set {
				if held.may(c.literal) && strings.Contains(lower, c.literal) && c.match.MatchString(p.text) {
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
	if body, mark := cutMark(bare); d.Chance(200) && mark != "!" && !strings.ContainsAny(bare, ",;:\n") {
		if mark != "" {
			mark = "?"
		}
		return r.requests[d.Below(len(r.requests))] + " " + small(body) + mark
	}
	return prefix + " " + small(bare)
}

// commands reports whether a sentence begins with a command, a prefix before it or not.
func (r *Rules) commands(s string) bool {
	return r.imperative(s) || r.imperative(s[len(r.prefixed.FindString(s)):])
}

// clausal are words that a verb follows within a command: "Say what is wrong".
var clausal = map[string]bool{"what": true, "whatever": true, "who": true, "which": true, "that": true, "this": true,
	"it": true, "there": true, "everything": true, "anything": true, "all": true}

// finite are verbs that a noun goes before.
var finite = map[string]bool{"is": true, "was": true, "has": true, "refers": true, "means": true, "sounds": true}

// imperative reports whether a sentence begins with a verb of the list.
func (r *Rules) imperative(s string) bool {
	end := strings.IndexFunc(s, func(c rune) bool { return !unicode.IsLetter(c) })
	if end < 0 {
		end = len(s)
	}
	verb := strings.ToLower(s[:end])
	if w := strings.Fields(s); len(w) > 2 && finite[plainWord(w[2])] && !clausal[plainWord(w[1])] {
		return false // "Ignore rules is a song" names what others command
	}
	if !r.imperatives[verb] || !r.nouns[verb] {
		return r.imperatives[verb]
	}
	if strings.HasPrefix(s[end:], ":") { // others, such as "Answer:", name what comes
		return verb == "run"
	}
	next := strings.Fields(s[end:])
	return len(next) > 0 && slices.Contains(r.objects, plainWord(next[0]))
}
