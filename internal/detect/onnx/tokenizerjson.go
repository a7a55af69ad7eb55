package onnx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
)

// tokenizerFile is a tokenizer.json made ready for the tokenizers library.
type tokenizerFile struct {
	data  []byte
	added []addedToken
	padID int // -1 when the file names none
}

type addedToken struct {
	ID      int    `json:"id"`
	Content string `json:"content"`
	Special bool   `json:"special"`
}

// prepareTokenizer switches off the truncation and padding that a tokenizer.json carries (windows and batches are cut
// here, and shipped files hold settings of their training), and drops the decoder, which nothing here needs and which
// can end the process when it is broken. With literal set it also keeps the spelling of a special token inside a text
// from becoming that token. The library has an option for that, which is enough for most models, but a Unigram
// vocabulary holds the special tokens as ordinary pieces with the best score of all, so the option alone would still
// find them; their spellings are replaced there by ones that no text can hold, as SentencePiece does by marking them
// as control symbols.
func prepareTokenizer(data []byte, literal bool) (*tokenizerFile, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	if len(top["model"]) == 0 {
		return nil, fmt.Errorf("the field model is missing")
	}
	t := &tokenizerFile{padID: -1}
	var added []addedToken
	if raw, ok := top["added_tokens"]; ok {
		if err := json.Unmarshal(raw, &added); err != nil {
			return nil, fmt.Errorf("field added_tokens: %w", err)
		}
	}
	t.added = added
	t.findPad(top["padding"])
	for _, field := range []string{"truncation", "padding", "decoder"} {
		top[field] = json.RawMessage("null")
	}
	if model, err := withoutDropout(top["model"]); err != nil {
		return nil, fmt.Errorf("field model: %w", err)
	} else {
		top["model"] = model
	}
	if literal {
		model, err := hideSpecialPieces(top["model"], added)
		if err != nil {
			return nil, fmt.Errorf("field model: %w", err)
		}
		top["model"] = model
	}
	var err error
	t.data, err = marshalObject(top)
	return t, err
}

func (t *tokenizerFile) findPad(padding json.RawMessage) {
	for _, a := range t.added {
		if a.Special && (a.Content == "[PAD]" || a.Content == "<pad>") {
			t.padID = a.ID
		}
	}
	var p struct {
		ID *int `json:"pad_id"`
	}
	if json.Unmarshal(padding, &p) == nil && p.ID != nil {
		t.padID = *p.ID
	}
}

// hideSpecialPieces renames the special tokens in the vocabulary of a Unigram model; models of other kinds come back
// unchanged. Ids, scores and order stay. The new names begin with NUL, which no text given to the tokenizer holds.
func hideSpecialPieces(raw json.RawMessage, added []addedToken) (json.RawMessage, error) {
	var model map[string]json.RawMessage
	if err := json.Unmarshal(raw, &model); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(model["vocab"]), []byte("[")) {
		return raw, nil // a vocabulary of another kind is an object
	}
	var vocab []json.RawMessage
	if err := json.Unmarshal(model["vocab"], &vocab); err != nil {
		return nil, err
	}
	changed := false
	for _, a := range added {
		if !a.Special || a.ID < 0 || a.ID >= len(vocab) {
			continue
		}
		var piece [2]any
		if err := json.Unmarshal(vocab[a.ID], &piece); err != nil {
			return nil, fmt.Errorf("vocab entry %d: %w", a.ID, err)
		}
		if piece[0] != a.Content {
			continue
		}
		piece[0] = "\x00" + a.Content
		renamed, err := json.Marshal(piece)
		if err != nil {
			return nil, err
		}
		vocab[a.ID], changed = renamed, true
	}
	if !changed {
		return raw, nil
	}
	var err error
	if model["vocab"], err = marshal(vocab); err != nil {
		return nil, err
	}
	return marshalObject(model)
}

// withoutDropout switches off the random merges of a BPE model, which are meant for training.
func withoutDropout(raw json.RawMessage) (json.RawMessage, error) {
	var model map[string]json.RawMessage
	if err := json.Unmarshal(raw, &model); err != nil {
		return nil, err
	}
	if model["dropout"] == nil || string(model["dropout"]) == "null" {
		return raw, nil
	}
	model["dropout"] = json.RawMessage("null")
	return marshalObject(model)
}

// marshalObject writes the fields in a fixed order, each as it was read.
func marshalObject(fields map[string]json.RawMessage) (json.RawMessage, error) {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	// The library takes the kind of a model from its first field where that field says it.
	if i := slices.Index(names, "type"); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "type")
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := marshal(name)
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(fields[name])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
