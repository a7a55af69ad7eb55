package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// maxLine bounds the bytes of a line that a program may write.
const maxLine = 1 << 20

// request is the line that asks for a text. It is plain ASCII, so that a program reads it alike in every locale, and
// holds no line break but its last byte. Bytes that are not UTF-8 become U+FFFD.
func request(id int64, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // a string always marshals
		panic(err)
	}
	line := make([]byte, 0, len(quoted)+40)
	line = append(line, `{"id":`...)
	line = strconv.AppendInt(line, id, 10)
	line = append(line, `,"text":`...)
	for len(quoted) > 0 {
		r, n := utf8.DecodeRune(quoted)
		quoted = quoted[n:]
		switch {
		case r < utf8.RuneSelf:
			line = append(line, byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			line = fmt.Appendf(line, `\u%04x\u%04x`, high, low)
		default:
			line = fmt.Appendf(line, `\u%04x`, r)
		}
	}
	return append(line, "}\n"...)
}

// message is what a program says in a line: that it is ready, or the answer to a request.
type message struct {
	ready   bool
	version string // as the program names it when it is ready

	id    int64
	score float64 // 0 to 1, when err is nil
	err   error   // why the text has no score
}

// misuse is a line after which the program cannot be trusted any more.
type misuse struct{ what, cure string }

const stdoutCure = "let it write its answers alone to stdout, one JSON object a line, and all else to stderr"

// nonNumber finds values that JSON does not have and many programs write.
var nonNumber = regexp.MustCompile(`:\s*([-+]?(?:NaN|nan|Infinity|inf))\b`)

// parse reads a line of a program.
func parse(line []byte) (message, *misuse) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(line, &fields)
	if err != nil {
		err = json.Unmarshal(nonNumber.ReplaceAll(line, []byte(`:"$1"`)), &fields)
	}
	if err != nil || fields == nil {
		return message{}, &misuse{"wrote a line that is no JSON object: " + fault.Quote(string(line)), stdoutCure}
	}
	for name, value := range fields {
		if bytes.Equal(value, []byte("null")) {
			delete(fields, name)
		}
	}
	if value, ok := fields["ready"]; ok {
		return parseReady(value, fields["version"])
	}
	value, ok := fields["id"]
	if !ok {
		return message{}, &misuse{"wrote an answer without id: " + fault.Quote(string(line)) + `, expected {"id":N,"score":S}`,
			"let it copy id from the request into its answer"}
	}
	m := message{}
	if json.Unmarshal(value, &m.id) != nil {
		return message{}, &misuse{"wrote an answer with the id " + fault.Quote(string(value)),
			"let it repeat the number that the request holds"}
	}
	m.score, m.err = parseAnswer(fields)
	return m, nil
}

func parseReady(ready, version json.RawMessage) (message, *misuse) {
	m := message{}
	if json.Unmarshal(ready, &m.ready) != nil || !m.ready {
		return message{}, &misuse{"wrote a line whose field ready holds " + fault.Quote(string(ready)) + ", expected true",
			"see docs/process.md"}
	}
	if version != nil && json.Unmarshal(version, &m.version) != nil {
		return message{}, &misuse{"wrote a line whose field version holds " + fault.Quote(string(version)) +
			", expected a text", "see docs/process.md"}
	}
	return m, nil
}

// parseAnswer returns the score or the error of a text. Fields it does not know are the program's own affair.
func parseAnswer(fields map[string]json.RawMessage) (float64, error) {
	score, hasScore := fields["score"]
	label, hasLabel := fields["label"]
	reason, hasError := fields["error"]
	switch {
	case hasScore && hasLabel || hasScore && hasError || hasLabel && hasError:
		return 0, errors.New("the program's answer holds more than one of score, label and error")
	case hasScore:
		var v float64
		if json.Unmarshal(score, &v) != nil || v < 0 || v > 1 {
			return 0, fmt.Errorf("the program's answer holds the score %s, expected a number from 0 to 1", bare(score))
		}
		return v, nil
	case hasLabel:
		var v float64
		if json.Unmarshal(label, &v) != nil || v != 0 && v != 1 {
			return 0, fmt.Errorf("the program's answer holds the label %s, expected 0 or 1", bare(label))
		}
		return v, nil
	case hasError:
		var said string
		if json.Unmarshal(reason, &said) != nil {
			said = string(reason)
		}
		if said = fault.Line(said); said == "" {
			said = "no reason given"
		}
		return 0, errors.New("the program gave an error: " + said)
	}
	return 0, errors.New("the program's answer holds no score, label or error")
}

// bare is a JSON value for a message.
func bare(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return fault.Quote(s)
	}
	return fault.Line(string(value))
}
