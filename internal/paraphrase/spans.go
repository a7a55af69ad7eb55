package paraphrase

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pidsbench/internal/codec"
)

// span is a part of a text, in bytes, that a rewording leaves alone.
type span struct {
	start, end int
	payload    bool // must stand in the rewording letter for letter; the others only the rules leave alone
}

// payloads find what carries an attack or names a target: code, quoted strings, markup, addresses, paths, encoded runs.
var payloads = []struct {
	signs string // every match holds one of these; "" where there are none
	match *regexp.Regexp
}{
	{"`", regexp.MustCompile("(?s)```.*?(```|$)")},
	{"`", regexp.MustCompile("`[^`\n]+`")},
	{"\"“«„", regexp.MustCompile(`"[^"\n]+"|“[^”]+”|«[^»]+»|„[^“”]+[“”]`)},
	{"'‘", regexp.MustCompile(`(?:^|[\s(\[{:=,])('[^'\n]+'|‘[^’\n]+’)(?:$|[\s)\]}.,;:!?])`)},
	{"<>", regexp.MustCompile(`<[/A-Za-z][^<>\n]*>|<!--|-->`)},
	{":", regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"'` + "`" + `]*[^\s<>"'` + "`" + `.,;:!?)\]]`)},
	{"@", regexp.MustCompile(`\b[\w.+-]+@[\w-]+\.[\w.-]*\w`)},
	{"/\\", regexp.MustCompile(`(?:^|\s)((?:~|\.{1,2})?/[\w.*@-]+(?:/[\w.*@-]*)*|[A-Za-z]:\\\S+)`)},
	{"(", regexp.MustCompile(`\b[\w.]+\([^()\n]*\)`)},
	{"%", regexp.MustCompile(`(?:%[0-9A-Fa-f]{2}){3,}`)},
	{"&", regexp.MustCompile(`(?:&#x?[0-9A-Fa-f]{2,6};\s?){3,}`)},
	{"", regexp.MustCompile(`(?:\\?[ux][0-9A-Fa-f]{2,4}){3,}`)},
	{"01", regexp.MustCompile(`\b[01]{8}(?:\s[01]{8})*\b`)},
	{"0123456789", regexp.MustCompile(`\b\d{1,7}(?:[ ,]+\d{1,7}){3,}\b`)},
	{"", regexp.MustCompile(`\b(?:[0-9A-Fa-f]{2}[ :]){3,}[0-9A-Fa-f]{2}\b`)},
	{"", regexp.MustCompile(`\b[0-9A-Fa-f]{12,}\b`)},
	{"", regexp.MustCompile(`(?:[.\-·−]{1,6}[ /]+){3,}[.\-·−]{1,6}`)},
	{"", regexp.MustCompile(`(?:\b[A-Z][a-z]+ (?:/ )?)*\b(?:Alfa|Bravo|Foxtrot|Juliett|Tango|Sierra)\b` +
		`(?:(?: /)? [A-Z][a-z]+)*`)},
}

// base64Run finds long runs of the letters of base64 and base32; isCoded tells which of them are words.
var base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{12,}={0,6}`)

// names finds what the rules leave alone: words with capitals, digits or underscores inside, numbers, and names.
var names = regexp.MustCompile(`[\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_]|\p{N}`)

// head is what stands before the first colon when the rest is what is to be run or decoded.
var (
	head     = regexp.MustCompile(`^\s*[^:\n]{1,100}:\s`)
	headWord = regexp.MustCompile(`(?i)\b(?:` + coded +
		`|run|execute|command|shell|script|payload|bypass|tool|query|code)\b`)
	coded = `rot-?13|base-?64|b64|base-?32|hex|hexadecimal|morse|atbash|caesar|cipher\w*|binary|ascii|unicode|` +
		`decode\w*|decipher\w*|decrypt\w*|encoded`
	codedHead  = regexp.MustCompile(`(?i)\b(?:` + coded + `)\b`)
	codedWord  = regexp.MustCompile(`^(?i:` + coded + `)$`)
	shiftWord  = regexp.MustCompile(`(?i)\b(?:rot-?13|caesar|atbash|cipher\w*|shift(?:ed)? (?:of|by|[0-9]+))\b`)
	capsInText = regexp.MustCompile(`^[\p{Lu}\p{N}_'-]+$`)
)

// spans returns the parts of the text that stay, sorted and apart. Where no payload of a letter cipher can be told from
// the words around it, ok is false.
func spans(text string) (out []span, ok bool) {
	var all []span
	add := func(start, end int, payload bool) {
		if start < end {
			all = append(all, span{start, end, payload})
		}
	}
	named := false // a payload that no pattern could find is known all the same
	for i, p := range payloads {
		if p.signs != "" && !strings.ContainsAny(text, p.signs) {
			continue
		}
		for _, m := range p.match.FindAllStringSubmatchIndex(text, -1) {
			if len(m) > 2 && m[2] >= 0 && (p.match.NumSubexp() == 1 && i > 0) {
				m = m[2:]
			}
			end := m[0] + len(strings.TrimRight(text[m[0]:m[1]], " \t\n"))
			add(m[0], end, true)
			named = named || i <= 3
		}
	}
	for _, m := range base64Run.FindAllStringIndex(text, -1) {
		if isCoded(text[m[0]:m[1]]) {
			add(m[0], m[1], true)
		}
	}
	for _, b := range brackets(text) {
		add(b.start, b.end, true)
	}
	if m := head.FindStringIndex(text); m != nil && headWord.MatchString(text[:m[1]]) && m[1] < len(text) {
		known := codedHead.MatchString(text[:m[1]]) &&
			slices.ContainsFunc(all, func(s span) bool { return s.start == m[1] && s.payload })
		end := len(text)
		if i := strings.Index(text[m[1]:], "\n\n"); i > 0 {
			end = m[1] + i
		}
		if !known {
			add(m[1], end, true)
		}
		named = true
	}
	if shiftWord.MatchString(text) && !named {
		return nil, false
	}
	for _, m := range names.FindAllStringIndex(text, -1) {
		if isName(text, m[0], m[1]) && !codedWord.MatchString(text[m[0]:m[1]]) {
			add(m[0], m[1], false)
		}
	}
	return merge(all), true
}

// merge joins spans that overlap. A joined span is a payload when one of its parts is.
func merge(all []span) []span {
	slices.SortFunc(all, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out []span
	for _, s := range all {
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			out[n-1].payload = out[n-1].payload || s.payload
			continue
		}
		out = append(out, s)
	}
	return out
}

// brackets finds balanced {…} and […] of at least one sign, outermost ones only.
func brackets(text string) []span {
	var out []span
	var open []byte
	start := 0
	for i := range len(text) {
		switch c := text[i]; c {
		case '{', '[':
			if len(open) == 0 {
				start = i
			}
			open = append(open, c+2)
		case '}', ']':
			if n := len(open); n > 0 && open[n-1] == c {
				if open = open[:n-1]; n == 1 {
					out = append(out, span{start, i + 1, true})
				}
			} else {
				open = nil
			}
		}
	}
	return out
}

// isCoded reports whether a run of letters and digits is no word or name: it ends in =, or mixes capitals, small
// letters and digits in the way of base64, or is base32.
func isCoded(run string) bool {
	if strings.HasSuffix(run, "=") {
		return true
	}
	if strings.ContainsAny(run, "_-/") && strings.ToLower(run) == run {
		return false // a path, a name with hyphens
	}
	var upper, lower, digit, turns int
	last := 0
	for _, c := range run {
		kind := 0
		switch {
		case unicode.IsUpper(c):
			upper++
			kind = 1
		case unicode.IsLower(c):
			lower++
			kind = 2
		case unicode.IsDigit(c):
			digit++
			kind = 3
		}
		if last != 0 && kind != last {
			turns++
		}
		last = kind
	}
	if lower == 0 && digit > 0 && upper > 8 {
		return true
	}
	return upper > 0 && lower > 0 && turns*4 >= len(run)
}

// isName reports whether a word is a name or a number: it holds a digit, an underscore or an inner capital, or begins
// with a capital inside a sentence. Words of a passage in capitals are none.
func isName(text string, start, end int) bool {
	word := text[start:end]
	if strings.ContainsAny(word, "_0123456789") {
		return true
	}
	runes := []rune(word)
	inner := slices.ContainsFunc(runes[1:], unicode.IsUpper)
	if capsInText.MatchString(word) {
		return len(runes) > 1 && !shouted(text, start, end)
	}
	if inner || strings.Contains(word, ".") {
		return true
	}
	if !unicode.IsUpper(runes[0]) || len(runes) == 1 {
		return false
	}
	before := strings.TrimRight(text[:start], " \t\"'“‘(*_-")
	return before != "" && !strings.ContainsAny(before[len(before)-1:], ".!?:\n")
}

// shouted reports whether the words around a word in capitals are in capitals too.
func shouted(text string, start, end int) bool {
	n := 0
	for _, w := range strings.Fields(text[:start]) {
		n = count(n, w)
	}
	for _, w := range strings.Fields(text[end:]) {
		if !capsInText.MatchString(strings.Trim(w, ".,;:!?")) {
			break
		}
		n++
	}
	return n >= 2
}

// count counts words in capitals up to here.
func count(n int, w string) int {
	if capsInText.MatchString(strings.Trim(w, ".,;:!?")) {
		return n + 1
	}
	return 0
}

// decoded returns what an encoded payload says, when a scheme that can be told by its alphabet decodes it to words.
func decoded(payload string) (string, bool) {
	for _, s := range codec.Schemes() {
		switch s.Name {
		case "rot13", "atbash", "caesar:3":
			continue // these decode anything
		}
		text, err := s.Decode(strings.Trim(payload, "`'\" \n"))
		if err == nil && len(text) >= 8 && strings.IndexFunc(text, unicode.IsControl) < 0 &&
			strings.IndexFunc(text, unicode.IsLetter) >= 0 {
			return text, true
		}
	}
	return "", false
}
