package detect

import (
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// wrongFields looks for fields that the entry's kind does not use. They would be passed over in silence.
func (e *Entry) wrongFields() *mistake {
	if e.Kind == "onnx" {
		return nil
	}
	quoted := func(s string) string {
		if s == "" {
			return ""
		}
		return fault.Quote(s)
	}
	whole := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	temperature := ""
	if e.Temperature != 0 {
		temperature = number(e.Temperature)
	}
	model := e.Model
	if e.Kind == "process" {
		model = ""
	}
	for _, f := range []struct{ name, found string }{
		{"model", quoted(model)},
		{"file", quoted(e.File)},
		{"output", quoted(e.Output)},
		{"head", quoted(e.Head)},
		{"positive", quoted(strings.Join(e.Positive, ", "))},
		{"temperature", temperature},
		{"max_length", whole(e.MaxLength)},
		{"stride", whole(e.Stride)},
		{"pad", quoted(e.Pad)},
		{"batch_tokens", whole(e.BatchTokens)},
		{"precision", quoted(e.Precision)},
		{"special_tokens_in_text", quoted(e.SpecialTokensInText)},
	} {
		if f.found != "" {
			return e.unused(f.name, f.found)
		}
	}
	return nil
}

// unused is the mistake of a field that the entry's kind does not use. A chat entry may have meant one of its section.
func (e *Entry) unused(field, found string) *mistake {
	under := map[string]string{"model": "chat", "positive": "chat", "temperature": "chat.request"}[field]
	if e.Kind == "chat" && under != "" {
		return wrong(field, found, "it under "+under)
	}
	return wrong(field, found, "none for the kind "+e.Kind)
}
