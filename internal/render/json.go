package render

import (
	"bytes"
	"encoding/json"
	"io"

	"pidsbench/internal/results"
)

// JSON writes the whole results model, one cell a line, and behind it further tables, if any.
func JSON(w io.Writer, r *results.Results, further []Table) error {
	type plain results.Results
	cells := make([]json.RawMessage, len(r.Cells))
	for i := range r.Cells {
		b, err := json.Marshal(&r.Cells[i])
		if err != nil {
			return err
		}
		cells[i] = b
	}
	shell := *r
	shell.Cells = []results.Cell{}
	b, err := json.MarshalIndent((*plain)(&shell), "", "  ")
	if err != nil {
		return err
	}
	const empty = `"cells": []`
	at := bytes.Index(b, []byte(empty))
	var out bytes.Buffer
	out.Write(b[:at])
	out.WriteString(`"cells": [`)
	for i, c := range cells {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(c)
	}
	out.WriteString("\n  ]")
	rest := b[at+len(empty):]
	if len(further) > 0 {
		t, err := json.MarshalIndent(longTables(further), "  ", "  ")
		if err != nil {
			return err
		}
		rest = bytes.TrimSuffix(rest, []byte("\n}"))
		out.Write(rest)
		out.WriteString(",\n  \"tables\": ")
		out.Write(t)
		rest = []byte("\n}")
	}
	out.Write(rest)
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}
