//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/daulet/tokenizers"
)

// tokenizer turns texts into token ids, without the special tokens that stand around a text.
type tokenizer struct {
	lib            *tokenizers.Tokenizer
	prefix, suffix []special
	textType       int64 // token type id of the text itself
	padID          int   // -1 when unknown
}

// special is a token that the tokenizer's post-processor puts before or behind a text.
type special struct {
	id   uint32
	kind int64 // token type id
}

// newTokenizer loads a tokenizer.json. With literal set, the spelling of a special token inside a text stays text.
func newTokenizer(data []byte, literal bool) (*tokenizer, error) {
	file, err := prepareTokenizer(data, literal)
	if err != nil {
		return nil, err
	}
	if err := checkParts(data); err != nil {
		return nil, err
	}
	var options []tokenizers.TokenizerOption
	if literal {
		options = append(options, tokenizers.WithEncodeSpecialTokens())
	}
	lib, err := tokenizers.FromBytes(file.data, options...)
	if err != nil {
		return nil, err
	}
	t := &tokenizer{lib: lib, padID: file.padID}
	if err := t.findSpecials(); err != nil {
		lib.Close()
		return nil, err
	}
	if literal {
		if err := t.checkLiteral(file); err != nil {
			lib.Close()
			return nil, err
		}
	}
	return t, nil
}

// findSpecials learns what the post-processor puts around a single text by comparing the same text with and without it.
func (t *tokenizer) findSpecials() error {
	type frame struct {
		prefix, suffix []special
		kind           int64
	}
	var frames []frame
	for _, text := range []string{"a", "the 1 b"} {
		bare := t.whole(text)
		full := t.lib.EncodeWithOptions(text, true, tokenizers.WithReturnTypeIDs())
		at := indexOf(full.IDs, bare)
		if len(bare) == 0 || at < 0 || len(full.TypeIDs) != len(full.IDs) {
			return fmt.Errorf("the text %q gives the tokens %v, with special tokens %v, expected the same tokens between others",
				text, bare, full.IDs)
		}
		f := frame{kind: int64(full.TypeIDs[at])}
		for i, id := range full.IDs {
			s := special{id: id, kind: int64(full.TypeIDs[i])}
			switch {
			case i < at:
				f.prefix = append(f.prefix, s)
			case i >= at+len(bare):
				f.suffix = append(f.suffix, s)
			case s.kind != f.kind:
				return fmt.Errorf("the tokens of one text have different token types")
			}
		}
		frames = append(frames, f)
	}
	a, b := frames[0], frames[1]
	if !slices.Equal(a.prefix, b.prefix) || !slices.Equal(a.suffix, b.suffix) || a.kind != b.kind {
		return fmt.Errorf("the special tokens around a text depend on the text")
	}
	t.prefix, t.suffix, t.textType = a.prefix, a.suffix, a.kind
	return nil
}

func indexOf(all, part []uint32) int {
	for i := 0; i+len(part) <= len(all); i++ {
		if slices.Equal(all[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// checkLiteral makes sure that no text can forge a special token by spelling it.
func (t *tokenizer) checkLiteral(file *tokenizerFile) error {
	for _, a := range file.added {
		if !a.Special || !t.isSpecial(uint32(a.ID)) {
			continue
		}
		for _, text := range []string{a.Content, "a" + a.Content + "b", "a " + a.Content + " b"} {
			ids := t.whole(text)
			if slices.Contains(ids, uint32(a.ID)) {
				return fmt.Errorf("a text that spells %s becomes the special token %d, so it cannot be kept literal",
					short(a.Content), a.ID)
			}
		}
	}
	return nil
}

func (t *tokenizer) isSpecial(id uint32) bool {
	has := func(s special) bool { return s.id == id }
	return int(id) == t.padID || slices.ContainsFunc(t.prefix, has) || slices.ContainsFunc(t.suffix, has)
}

// ids returns the tokens of a whole text. A text with a NUL byte or invalid UTF-8 is an error, because the library
// would cut or change it silently; so is a text that the library fails on, or of which it leaves nothing though it
// has letters or digits.
func (t *tokenizer) ids(text string) ([]uint32, error) {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return nil, fmt.Errorf("the text holds a NUL byte at byte %d", i)
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the text is not valid UTF-8")
	}
	if len(text) > pieceBytes {
		return t.inPieces(text, pieceBytes)
	}
	ids := t.whole(text)
	if len(ids) == 0 {
		return nil, t.explainEmpty(text)
	}
	return ids, nil
}

// explainEmpty returns why a text has no tokens, nil where there is nothing in it to find.
func (t *tokenizer) explainEmpty(text string) error {
	// The library answers a failure with an empty list too; with special tokens on, only a failure is empty.
	if len(t.prefix)+len(t.suffix) > 0 && len(t.lib.EncodeWithOptions(text, true).IDs) == 0 {
		return fmt.Errorf("the tokenizer failed on the text")
	}
	if strings.ContainsFunc(text, isVisible) {
		return fmt.Errorf("the tokenizer finds no token in a text of %d characters, letters or digits among them",
			utf8.RuneCountInString(text))
	}
	return nil
}

// isVisible says that a tokenizer has no good reason to drop the character. Normalisers do drop marks, control, format,
// unassigned and private-use characters, and U+FFFD.
func isVisible(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r)) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

func (t *tokenizer) close() error { return t.lib.Close() }
