package nanoguard

import (
	"fmt"
	"slices"
	"strings"
)

// vocabulary is what tokenizer.pkl holds: a byte-level BPE in tiktoken's form.
type vocabulary struct {
	pattern  string           // regular expression of the pieces that a text is cut into
	ranks    map[byteText]int // id of each token; of two pairs the one with the lower joined id is merged first
	tokens   []byteText       // by id
	specials []string         // tokens of the ids that follow
}

// The special tokens as the package uses them.
const (
	beginToken = "<|reserved_0|>"
	padToken   = "<|reserved_1|>"
)

// readVocabulary reads the pickle of a tiktoken encoding.
func readVocabulary(data []byte) (*vocabulary, error) {
	root, err := readPickle(data)
	if err != nil {
		return nil, err
	}
	o, ok := root.(*object)
	if !ok || o.class != encodingClass {
		return nil, fmt.Errorf("the pickle holds %s, expected an object of %s", kind(root), encodingClass)
	}
	v := &vocabulary{ranks: map[byteText]int{}}
	if v.pattern, err = field[string](o.state, "pat_str"); err != nil {
		return nil, err
	}
	ranks, err := field[dict](o.state, "mergeable_ranks")
	if err != nil {
		return nil, err
	}
	specials, err := field[dict](o.state, "special_tokens")
	if err != nil {
		return nil, err
	}
	if v.tokens, err = byID[byteText](ranks, 0); err != nil {
		return nil, fmt.Errorf("mergeable_ranks: %w", err)
	}
	if v.specials, err = byID[string](specials, len(ranks)); err != nil {
		return nil, fmt.Errorf("special_tokens: %w", err)
	}
	for id, t := range v.tokens {
		if len(t) == 0 {
			return nil, fmt.Errorf("token %d holds no byte", id)
		}
		v.ranks[t] = id
	}
	for c := range 256 {
		if _, ok := v.ranks[byteText([]byte{byte(c)})]; !ok {
			return nil, fmt.Errorf("no token is the byte 0x%02x alone", c)
		}
	}
	return v, nil
}

// byID returns the keys of a dict in the order of their values, which have to be first, first+1, and so on.
func byID[T comparable](d dict, first int) ([]T, error) {
	keys, seen := make([]T, len(d)), make([]bool, len(d))
	for k, v := range d {
		key, ok := k.(T)
		id, okID := v.(int64)
		at := id - int64(first)
		if !ok || !okID || at < 0 || at >= int64(len(d)) || seen[at] {
			return nil, fmt.Errorf("expected each id from %d to %d once", first, first+len(d)-1)
		}
		keys[at], seen[at] = key, true
	}
	return keys, nil
}

// special returns the id of a special token.
func (v *vocabulary) special(name string) (int, error) {
	i := slices.Index(v.specials, name)
	if i < 0 {
		return 0, fmt.Errorf("the special token %s is missing", name)
	}
	return len(v.tokens) + i, nil
}

// parents returns the two tokens that are merged last to make a token of more than one byte. They are always the same:
// whatever stands around a token, the merges within its bytes are those of its bytes alone, in the same order, up to
// the last one. So a list of these pairs by id merges as the ranks do. ok is false for a token that no merges make.
func (v *vocabulary) parents(t byteText) (left, right byteText, ok bool) {
	parts := make([]byteText, len(t))
	for i := range parts {
		parts[i] = t[i : i+1]
	}
	for len(parts) > 2 {
		best, at := len(v.tokens), -1
		for i := range parts[1:] {
			if r, known := v.ranks[parts[i]+parts[i+1]]; known && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return "", "", false
		}
		parts[at] += parts[at+1]
		parts = slices.Delete(parts, at+1, at+2)
	}
	return parts[0], parts[1], true
}

// tokenizerJSON returns the vocabulary as a tokenizer file of the Hugging Face form, which gives the same ids and puts
// the special token begin before a text.
func (v *vocabulary) tokenizerJSON(begin int) ([]byte, error) {
	spell := byteSpelling()
	ids := make(map[string]int, len(v.tokens))
	merges := [][2]string{}
	for id, t := range v.tokens {
		ids[spell(t)] = id
		if len(t) == 1 {
			continue
		}
		left, right, ok := v.parents(t)
		if !ok {
			return nil, fmt.Errorf("no merges make token %d", id)
		}
		merges = append(merges, [2]string{spell(left), spell(right)})
	}
	type object = map[string]any
	added := []object{}
	for i, name := range v.specials {
		added = append(added, object{"id": len(v.tokens) + i, "content": name, "single_word": false, "lstrip": false,
			"rstrip": false, "normalized": false, "special": true})
	}
	return marshal(object{
		"version": "1.0", "truncation": nil, "padding": nil, "normalizer": nil, "added_tokens": added,
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []object{
			{"type": "Split", "pattern": object{"Regex": v.pattern}, "behavior": "Isolated", "invert": false},
			{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
		}},
		"post_processor": object{
			"type": "TemplateProcessing",
			"single": []object{
				{"SpecialToken": object{"id": beginToken, "type_id": 0}}, {"Sequence": object{"id": "A", "type_id": 0}},
			},
			"pair": []object{
				{"SpecialToken": object{"id": beginToken, "type_id": 0}}, {"Sequence": object{"id": "A", "type_id": 0}},
				{"Sequence": object{"id": "B", "type_id": 0}},
			},
			"special_tokens": object{
				beginToken: object{"id": beginToken, "ids": []int{begin}, "tokens": []string{beginToken}},
			},
		},
		"decoder": object{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
		"model": object{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": false, "byte_fallback": false, "ignore_merges": false, "vocab": ids, "merges": merges,
		},
	})
}

// byteSpelling returns a function that spells bytes as the tokenizer files of byte-level models do: a printable
// character of Latin-1 stands for itself, the other bytes in their order for the characters from U+0100 on.
func byteSpelling() func(byteText) string {
	var letters [256]rune
	next := rune(0x100)
	for c := range rune(256) {
		if '!' <= c && c <= '~' || '¡' <= c && c <= '¬' || '®' <= c && c <= 'ÿ' {
			letters[c] = c
			continue
		}
		letters[c] = next
		next++
	}
	return func(t byteText) string {
		var s strings.Builder
		for _, c := range []byte(t) {
			s.WriteRune(letters[c])
		}
		return s.String()
	}
}
