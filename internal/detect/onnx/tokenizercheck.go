package onnx

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkParts looks for what makes the tokenizers library end the process instead of returning an error, be it while
// it loads a tokenizer.json or while it encodes: a character map or a template that points to something which is not
// there, and NUL in a string that an error message may repeat. Vocabularies are not looked at; no message repeats
// their pieces.
func checkParts(data []byte) error {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return err
	}
	model := map[string]json.RawMessage{}
	if err := json.Unmarshal(top["model"], &model); err != nil {
		return fmt.Errorf("field model: %w", err)
	}
	delete(model, "vocab")
	delete(top, "model")
	parts := map[string]any{}
	for _, raw := range []map[string]json.RawMessage{top, model} {
		for _, name := range slices.Sorted(maps.Keys(raw)) {
			var part any
			if err := json.Unmarshal(raw[name], &part); err != nil {
				return fmt.Errorf("field %s: %w", name, err)
			}
			if holdsNUL(name) || holdsNUL(part) {
				return fmt.Errorf("field %s: a string holds NUL", short(name))
			}
			parts[name] = part
		}
	}
	if err := eachObject(parts["normalizer"], checkNormalizer); err != nil {
		return fmt.Errorf("field normalizer: %w", err)
	}
	if err := eachObject(parts["post_processor"], checkTemplate); err != nil {
		return fmt.Errorf("field post_processor: %w", err)
	}
	return nil
}

// holdsNUL says that some string in a JSON value holds NUL, other than what a Replace step looks for and puts in.
func holdsNUL(node any) bool {
	switch n := node.(type) {
	case string:
		return strings.Contains(n, "\x00")
	case []any:
		return slices.ContainsFunc(n, holdsNUL)
	case map[string]any:
		for name, child := range n {
			if n["type"] == "Replace" && (name == "content" || name == "pattern") {
				continue
			}
			if holdsNUL(name) || holdsNUL(child) {
				return true
			}
		}
	}
	return false
}

// eachObject calls check for every object in a JSON value, in the order of the document's lists.
func eachObject(node any, check func(map[string]any) error) error {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			if err := eachObject(child, check); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := check(n); err != nil {
			return err
		}
		for _, list := range []string{"normalizers", "processors"} {
			if err := eachObject(n[list], check); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkNormalizer(n map[string]any) error {
	text, found := n["precompiled_charsmap"]
	if s, ok := text.(string); ok {
		if err := checkCharsmap(s); err != nil {
			return fmt.Errorf("precompiled_charsmap: %w", err)
		}
	} else if found || n["type"] == "Precompiled" {
		return fmt.Errorf("a Precompiled normalizer has no precompiled_charsmap")
	}
	return nil
}

// checkTemplate makes sure that a template for a single text asks for nothing but that text and known special tokens.
func checkTemplate(p map[string]any) error {
	single, ok := p["single"].([]any)
	if !ok {
		return nil
	}
	known, _ := p["special_tokens"].(map[string]any)
	for _, piece := range single {
		fields, ok := piece.(map[string]any)
		if !ok {
			continue
		}
		if token, ok := fields["SpecialToken"].(map[string]any); ok {
			id, _ := token["id"].(string)
			if _, ok := known[id]; !ok {
				return fmt.Errorf("the template holds the special token %s, which special_tokens lacks", short(id))
			}
		}
		if sequence, ok := fields["Sequence"].(map[string]any); ok && sequence["id"] != "A" {
			return fmt.Errorf("the template for one text holds a second one")
		}
	}
	return nil
}
