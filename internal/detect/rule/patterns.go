package rule

import (
	"regexp"
	"strings"
)

// pattern is one keyword alternative. Every match begins with one of the literals, at the start of a word: a plain
// search finds the places, and the anchored expression runs at those alone.
type pattern struct {
	name   string
	starts []string
	expr   *regexp.Regexp
}

// match tells whether the alternative occurs in folded text.
func (p *pattern) match(folded string) bool {
	for _, literal := range p.starts {
		for at := 0; ; at += len(literal) {
			i := strings.Index(folded[at:], literal)
			if i < 0 {
				break
			}
			at += i
			if (at == 0 || !wordByte(folded[at-1])) && p.expr.MatchString(folded[at:]) {
				return true
			}
		}
	}
	return false
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// keyword is an alternative that ends at the end of a word.
func keyword(name, expr string, starts ...string) pattern {
	return pattern{name, starts, regexp.MustCompile(`^(?:` + expr + `)\b`)}
}

// patterns are the 20 keyword alternatives; any one of them fires the rule. They are matched against folded text: lower
// case, ASCII word characters. Loaded verbs stand bare (no inflected forms), as the published counts demand.
var patterns = []pattern{
	// cancelling instructions
	keyword("ignore instructions", `ignore\s+(?:all|any|previous|above)\s+(?:instructions|directions)`, "ignore"),
	keyword("disregard instructions", `disregard\s+(?:previous|prior)\s+(?:instructions|rules)`, "disregard"),
	keyword("forget rules", `forget\s+(?:your|all)\s+rules`, "forget"),
	keyword("ignore safety", `ignore\s+safety`, "ignore"),
	keyword("turn off safety", `turn\s+off\s+(?:safety|guardrails)`, "turn"),
	// loaded words
	keyword("override", `override`, "override"),
	keyword("bypass", `bypass`, "bypass"),
	keyword("exploit", `exploit`, "exploit"),
	keyword("impersonate", `impersonate`, "impersonate"),
	keyword("verbatim", `verbatim`, "verbatim"),
	keyword("repeat after me", `repeat\s+after\s+me`, "repeat"),
	keyword("self-destruct", `self[-\s]?destruct`, "self"),
	// personas
	keyword("privileged persona", `(?:as\s+a|act\s+as)\s+(?:developer|system|admin|jailbreak)`, "as", "act"),
	keyword("DAN", `dan`, "dan"),
	keyword("developer mode", `developer\s+mode`, "developer"),
	// prompt theft
	keyword("reveal system prompt", `reveal\s+(?:your\s+)?system\s+prompt`, "reveal"),
	keyword("ask for system prompt", `what\s+is\s+your\s+system\s+prompt`, "what"),
	keyword("prompt injection", `prompt\s+injection`, "prompt"),
	// shell
	keyword("sudo", `sudo`, "sudo"),
	// The slash is no word character: a closing boundary would miss the plain "rm -rf /".
	{"rm of a root path", []string{"rm"}, regexp.MustCompile(`^rm\s+-\w+\s+/`)},
}
