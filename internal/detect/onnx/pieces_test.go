//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"slices"
	"strings"
	"testing"
)

func TestPiecesGiveTheTokensOfTheWhole(t *testing.T) {
	texts := sampleTexts(t)
	texts["blanks"] = strings.Repeat("a  b   c\t d \n e 1 2 'x y' don't we'll (so) . and , ", 40)
	for _, name := range []string{"wordpiece", "unigram", "bytebpe"} {
		tok := open(t, name).tokens
		cuts := 0
		for id, text := range texts {
			text = strings.ReplaceAll(text[:min(len(text), 1500)], "\x00", "")
			text = strings.ToValidUTF8(text, "")
			want := tok.whole(text)
			for _, size := range []int{1, 7, 300} {
				got, err := tok.inPieces(text, size)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %s in pieces of %d bytes: %d tokens, %v, expected %d", name, id, size, len(got), err, len(want))
				}
				if tok.cut(text, size) < len(text) {
					cuts++
				}
			}
		}
		if cuts < 20 {
			t.Errorf("%s: only %d texts were cut: this test would see nothing", name, cuts)
		}
	}
}

// TestNoCutWhereItWouldShow takes a tokenizer whose words hold blanks: it must see every text whole.
func TestNoCutWhereItWouldShow(t *testing.T) {
	needLibrary(t)
	file := `{"added_tokens":[],"model":{"type":"Unigram","unk_id":0,"vocab":` +
		`[["?",-9],["a",-5],["b",-5],["the",-5],[" ",-5],["1",-5],["a b",-1],["b a",-2]]}}`
	tok, err := newTokenizer([]byte(file), true)
	if err != nil {
		t.Fatal(err)
	}
	defer tok.close()
	text := strings.Repeat("a b ", 500)
	got, err := tok.inPieces(text, 10)
	if want := tok.whole(text); err != nil || !slices.Equal(got, want) {
		t.Errorf("%d tokens in pieces, %v, expected %d", len(got), err, len(want))
	}
}

func TestEndlessRunsAreErrors(t *testing.T) {
	d := open(t, "wordpiece")
	_, err := d.Tokenize("the order " + strings.Repeat("x", maxPieceBytes+1))
	if err == nil || !strings.Contains(err.Error(), "without a place to cut") {
		t.Errorf("error %v", err)
	}
	text := strings.Repeat("the order of "+strings.Repeat("x", 100_000)+" ", 50) // 5 MB, with places to cut
	if ids, err := d.Tokenize(text); err != nil || len(ids) < 50 {
		t.Errorf("%d tokens, %v", len(ids), err)
	}
}
