package process

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestARequestIsOneLineOfASCIIThatJSONReadsBack(t *testing.T) {
	for _, text := range []string{"", "plain", "a\nb\r\u2028\u0085", `"\/`, "é😀\U0010FFFF\uE000", "a\x00\x7f\x1b", "a\xff\xc0b"} {
		line := request(7, text)
		var got struct {
			ID   int64
			Text string
		}
		if err := json.Unmarshal(line, &got); err != nil || got.ID != 7 || got.Text != strings.ToValidUTF8(text, "\uFFFD") &&
			got.Text != "a\uFFFD\uFFFDb" {
			t.Errorf("%q is asked by %q: %+v, %v", text, line, got, err)
		}
		if i := bytes.IndexFunc(line, func(r rune) bool { return r > 0x7F || r < ' ' }); i != len(line)-1 || line[i] != '\n' {
			t.Errorf("%q is asked by %q", text, line)
		}
	}
}

// FuzzParse feeds what a program may write: every line is misuse with a cure, or an answer with a score from 0 to 1 or a
// printable reason.
func FuzzParse(f *testing.F) {
	for _, line := range []string{`{"id":1,"score":0.5}`, `{"id":1,"label":1,"x":[1,{"y":null}]}`, `{"id":2,"error":"\u001b[2J"}`,
		`{"ready":true,"version":"1"}`, `{"ready":false}`, `{"id":1,"score":NaN}`, `{"id":1,"score":1e999}`, `null`, `[]`, "{",
		`{"id":18446744073709551616,"score":0}`, `{"id":1,"id":2,"score":0,"score":2}`, "{\"id\":1,\"error\":\"\xff\"}"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, bad := parse(line)
		switch {
		case bad != nil:
			if bad.cure == "" || hostile(bad.what) || !reflect.DeepEqual(m, message{}) {
				t.Errorf("%q: %+v, %+v", line, bad, m)
			}
		case m.err != nil:
			if hostile(m.err.Error()) {
				t.Errorf("%q: %q", line, m.err)
			}
		case m.score < 0 || m.score > 1 || math.IsNaN(m.score):
			t.Errorf("%q: score %v", line, m.score)
		}
	})
}

func hostile(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) || len(s) > 2000
}

func TestLinesAreCutAlikeHoweverTheyArrive(t *testing.T) {
	const text = "one\r\n\n  two \n\xffthree\nlast"
	want := []string{"one", "two", "\xffthree", "last"}
	for size := 1; size <= len(text); size++ {
		var got []string
		l := &lines{take: func(line []byte) bool { got = append(got, string(line)); return true }}
		for p := text; len(p) > 0; p = p[min(size, len(p)):] {
			if n, err := l.Write([]byte(p[:min(size, len(p))])); err != nil || n != min(size, len(p)) {
				t.Fatal(n, err)
			}
		}
		l.end()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
}

func TestNothingIsTakenAfterAMisuse(t *testing.T) {
	taken, long := 0, 0
	l := &lines{take: func([]byte) bool { taken++; return taken < 2 }, long: func() { long++ }}
	l.Write([]byte("a\nb\nc\n" + strings.Repeat("x", maxLine+1)))
	l.Write([]byte("d\n"))
	l.end()
	if taken != 2 || long != 0 {
		t.Errorf("%d lines taken, %d too long", taken, long)
	}
	l = &lines{take: func([]byte) bool { taken++; return true }, long: func() { long++ }}
	for range 3 {
		l.Write(bytes.Repeat([]byte("x"), maxLine/2+1))
	}
	if taken != 2 || long != 1 || len(l.rest) > 2*maxLine {
		t.Errorf("a line without end: %d taken, %d too long, %d bytes held", taken, long, len(l.rest))
	}
}

func TestTheTailHoldsTheEndAndIsPrintable(t *testing.T) {
	var s tail
	s.Write([]byte(strings.Repeat("noise\n", 10_000)))
	s.Write([]byte("  at frame (x.js:1)\nError: \x1b[31mboom\xff\n    at run\n\nNode.js v20\n"))
	if got, want := s.summary(), "Error: [31mboom / Node.js v20"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	last := s.last()
	if len(last) != tailLines || last[len(last)-1] != "Node.js v20" || last[0] != "noise" {
		t.Errorf("last lines %q", last)
	}
	s.Write([]byte(strings.Repeat("x", 5*tailBytes)))
	if len(s.kept) != tailBytes || hostile(s.summary()) {
		t.Errorf("%d bytes kept", len(s.kept))
	}
	if empty := (&tail{}); empty.summary() != "" || len(empty.last()) != 0 {
		t.Error("an empty tail says something")
	}
}
