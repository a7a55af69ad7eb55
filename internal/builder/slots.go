package builder

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
	"pidsbench/internal/textnorm"
)

// GoalsPath is where the goals that fill templates stand, relative to the root.
const GoalsPath = "data/authored/goals.yaml"

const goalsSchema = "pidsbench-goals/1"

// Slots says where the texts of a source leave room for what an attacker asks for. A harmful request there would make
// no injection of a text that is none without it, so the request is always one of our goals, which ask for hidden
// instructions, rules and data. All slots of a text take the same goal.
type Slots struct {
	Jinja bool     `yaml:"jinja"` // each text is a Jinja template with the parameter prompt, a place for a goal
	Goal  []string `yaml:"goal"`  // regular expressions of the places for a goal
	Token []string `yaml:"token"` // regular expressions of the places for a token, filled with 8 hexadecimal digits

	goal, token *regexp.Regexp
}

func (s *Slots) any() bool { return s.Jinja || len(s.Goal) > 0 || len(s.Token) > 0 }

// compile sets the expressions.
func (s *Slots) compile() (err error) {
	if s.goal, err = oneOf(s.Goal); err == nil {
		s.token, err = oneOf(s.Token)
	}
	return err
}

// oneOf joins expressions to one; nil for none.
func oneOf(expressions []string) (*regexp.Regexp, error) {
	if len(expressions) == 0 {
		return nil, nil
	}
	return regexp.Compile("(?:" + strings.Join(expressions, ")|(?:") + ")")
}

// fill returns the text with its slots filled, and whether all could be. The goal belongs to the text around the slots,
// so the same template gets the same goal wherever it stands.
func (s *Slots) fill(text string, goals []goal, seed int64) (string, bool) {
	parts := []string{text}
	if s.Jinja {
		var ok bool
		if parts, ok = jinjaParts(text); !ok {
			return "", false
		}
	}
	if s.goal != nil {
		var split []string
		for _, p := range parts {
			split = append(split, s.goal.Split(p, -1)...)
		}
		parts = split
	}
	key := textnorm.ExactHash(strings.Join(parts, " "))
	var b strings.Builder
	b.WriteString(parts[0])
	if len(parts) > 1 {
		if len(goals) == 0 {
			return "", false
		}
		g := goals[draw.New(seed, "goal", key).Below(len(goals))].Text
		for _, p := range parts[1:] {
			b.WriteString(inPlace(g, b.String()))
			b.WriteString(p)
		}
	}
	text = b.String()
	if s.token != nil {
		d := draw.New(seed, "token", key)
		token := make([]byte, 8)
		for i := range token {
			token[i] = "0123456789ABCDEF"[d.Below(16)]
		}
		text = s.token.ReplaceAllLiteralString(text, string(token))
	}
	return text, true
}

// inPlace gives a goal a capital where it begins a line or a sentence.
func inPlace(goal, before string) string {
	line := strings.TrimRight(before, " \t")
	if line != "" && !strings.ContainsRune("\n.!?", rune(line[len(line)-1])) {
		return goal
	}
	r, n := utf8.DecodeRuneInString(goal)
	return string(unicode.ToUpper(r)) + goal[n:]
}

// jinjaTag is what Jinja reads; a raw block, in which it reads nothing, comes first.
var jinjaTag = regexp.MustCompile(
	`(?s)\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}|\{\{-?\s*(.*?)\s*-?\}\}|\{%.*?%\}|\{#.*?#\}`)

var jinjaLiteral = regexp.MustCompile(`^"([^"\\]*)"$|^'([^'\\]*)'$`)

// jinjaParts returns what stands around the places for a prompt. It knows raw blocks, literals and the parameter
// prompt; ok is false for a template that needs more.
func jinjaParts(template string) (parts []string, ok bool) {
	var part strings.Builder
	end := 0
	for _, m := range jinjaTag.FindAllStringSubmatchIndex(template, -1) {
		part.WriteString(template[end:m[0]])
		end = m[1]
		switch {
		case m[2] >= 0: // raw
			part.WriteString(template[m[2]:m[3]])
		case m[4] < 0: // a statement or a comment
			return nil, false
		case template[m[4]:m[5]] == "prompt":
			parts = append(parts, part.String())
			part.Reset()
		default:
			l := jinjaLiteral.FindStringSubmatch(template[m[4]:m[5]])
			if l == nil {
				return nil, false
			}
			part.WriteString(l[1] + l[2])
		}
	}
	part.WriteString(template[end:])
	return append(parts, part.String()), true
}

// goal is one request: an order without a full stop, which may follow "and".
type goal struct {
	ID   string `yaml:"id"`
	Text string `yaml:"text"`
}

// loadGoals reads data/authored/goals.yaml below root.
func loadGoals(root string) ([]goal, error) {
	var f struct {
		Schema string `yaml:"schema"`
		Goals  []goal `yaml:"goals"`
	}
	if err := readYAML(root, GoalsPath, &f); err != nil {
		return nil, err
	}
	bad := func(id, field, found, expected string) error {
		return fault.New(fault.Usage, "%s: goal %q: field %s holds %s, expected %s", GoalsPath, id, field,
			fault.Quote(found), expected).WithCure("correct it")
	}
	if f.Schema != goalsSchema {
		return nil, fault.New(fault.Usage, "%s: field schema holds %s, expected %q", GoalsPath, fault.Quote(f.Schema),
			goalsSchema).WithCure("correct it")
	}
	if len(f.Goals) == 0 {
		return nil, fault.New(fault.Usage, "%s: field goals is empty, expected at least one goal", GoalsPath).
			WithCure("restore the file from the repository")
	}
	seen := map[string]bool{}
	for _, g := range f.Goals {
		r, _ := utf8.DecodeRuneInString(g.Text)
		switch {
		case g.ID == "" || seen[g.ID]:
			return nil, bad(g.ID, "id", g.ID, "a name of its own")
		case !unicode.IsLower(r) || g.Text != strings.Join(strings.Fields(g.Text), " ") ||
			strings.ContainsAny(g.Text[len(g.Text)-1:], ".!?,;:"):
			return nil, bad(g.ID, "text", g.Text, "one line that begins with a small letter and ends without a stop")
		case seen[" "+g.Text]:
			return nil, bad(g.ID, "text", g.Text, "a text that stands there once")
		}
		seen[g.ID], seen[" "+g.Text] = true, true
	}
	return f.Goals, nil
}
