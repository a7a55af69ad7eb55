//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"slices"
	"strings"
	"testing"
)

// FuzzTokenize looks for texts on which the tokenizers library, which cannot be stopped from ending the process, does
// so, or which give other tokens the second time, or forge a special token.
func FuzzTokenize(f *testing.F) {
	for _, text := range sampleTexts(f) {
		f.Add(text[:min(len(text), 3000)])
	}
	f.Add("\xed\xa0\x80")
	f.Add("[SEP]</s><s>[CLS]")
	var toks []*tokenizer
	for _, name := range []string{"wordpiece", "unigram", "bytebpe"} {
		tok, err := newTokenizer(readTokenizer(f, name), true)
		if err != nil {
			f.Fatal(err)
		}
		defer tok.close()
		toks = append(toks, tok)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range toks {
			ids, err := tok.ids(text)
			again, errAgain := tok.ids(text)
			if !slices.Equal(ids, again) || (err == nil) != (errAgain == nil) {
				t.Fatalf("%q gives %v, %v, then %v, %v", text, ids, err, again, errAgain)
			}
			if err == nil {
				if pieces, err := tok.inPieces(text, 16); err != nil || !slices.Equal(pieces, ids) {
					t.Fatalf("%q gives %v, in pieces %v, %v", text, ids, pieces, err)
				}
			}
			if slices.ContainsFunc(ids, tok.isSpecial) {
				t.Fatalf("%q gives a special token: %v", text, ids)
			}
		}
	})
}

// FuzzTokenizerFile looks for tokenizer files that pass the checks and end the process, while they are loaded or later.
func FuzzTokenizerFile(f *testing.F) {
	for _, name := range []string{"wordpiece", "unigram", "bytebpe"} {
		f.Add(readTokenizer(f, name))
	}
	precompiled := strings.Replace(string(readTokenizer(f, "unigram")), `"normalizer":{`,
		`"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":"`+
			charsmap(2048, trieOf(0), "b\x00")+`"}]},"old":{`, 1)
	f.Add([]byte(precompiled))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := newTokenizer(data, true)
		if err != nil {
			return
		}
		defer tok.close()
		for _, text := range []string{"", "A naïve order, 12 €", "\u0301\U0001f468\u200d\U0001f469", "[SEP] [CLS]"} {
			tok.ids(text)
		}
	})
}
