package facet

import (
	"strings"
	"unicode"

	"pidsbench/internal/dataset"
)

// The structures of speech that injections and harmless texts share. A text may show several.
const (
	Persona      = "persona"      // the reader is to be somebody
	Hypothetical = "hypothetical" // a world in which rules may not hold
	Command      = "command"      // something is to be run
	Several      = "several"
	Plain        = "none"
)

// phrases are what a structure is known by, in words. They look at the text alone, never at a detector.
var phrases = []struct {
	tag string
	of  []string
}{
	{Persona, []string{"act as a", "act as an", "act as the", "act as if", "act as my", "act as though", "act like a",
		"act like an", "act like you", "acting as a", "acting as an", "acting as the", "behave as a", "behave as if",
		"behave like a", "you are now", "you're now", "you are no longer", "you will now be", "pretend to be", "pretend you",
		"pretend you're", "pretend that you", "from now on you", "from now on you're", "play the role", "play the part",
		"role play as", "roleplay as", "take on the role", "assume the role", "take on the persona", "assume the persona",
		"adopt the persona", "switch to the persona", "change your persona", "the persona of", "portray a", "portray an",
		"your name is", "your new name", "you will be playing", "stay in character", "remain in character", "speak as a",
		"respond as a", "answer as a", "as though you were"}},
	{Hypothetical, []string{"hypothetically", "hypothetical", "fictional scenario",
		"fictional world", "fictional story", "imagine you are", "imagine you're", "imagine that you are", "imagine a world",
		"imagine an ai", "suppose you are", "suppose you're", "suppose you were", "suppose that you are",
		"if you had no rules", "if you had no restrictions", "if you had no limits", "if there were no rules",
		"if there were no restrictions",
		"what if you were", "what would you do if"}},
	{Command, []string{"run the command", "run this command", "run the following", "run the script", "run this script",
		"run the function", "run the code", "run this code", "execute the command", "execute this command",
		"execute the following", "execute the script", "execute this script", "execute the code", "execute this code",
		"execute code", "execute shell", "execute the function", "execute arbitrary", "call the api", "call the function",
		"call the tool", "call this function", "invoke the function", "invoke the tool", "invoke the api", "use the tool",
		"shell command", "os system", "os popen", "subprocess run", "subprocess popen", "subprocess call", "child process",
		"runtime getruntime", "sudo rm", "rm rf", "curl http", "curl https", "powershell"}},
}

// structures returns the structure of each row: a tag, Several or Plain; empty where the text is withheld.
func structures(s *dataset.Split) []string {
	out := make([]string, len(s.Rows))
	for i, r := range s.Rows {
		if !r.Missing {
			out[i] = structure(r.Text)
		}
	}
	return out
}

// structure is a tag, Several or Plain.
func structure(text string) string {
	words, found := plainWords(text), Plain
	for _, p := range phrases {
		for _, phrase := range p.of {
			if !strings.Contains(words, " "+phrase+" ") {
				continue
			}
			if found != Plain {
				return Several
			}
			found = p.tag
			break
		}
	}
	return found
}

// plainWords returns the words of a text in lower case with one blank before, between and behind them. A word is made
// of letters, digits and apostrophes.
func plainWords(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte(' ')
	inWord := false
	for _, r := range text {
		switch {
		case r == '’':
			r = '\''
		case r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r):
			r = unicode.ToLower(r)
		default:
			if inWord {
				b.WriteByte(' ')
			}
			inWord = false
			continue
		}
		b.WriteRune(r)
		inWord = true
	}
	if inWord {
		b.WriteByte(' ')
	}
	return b.String()
}
