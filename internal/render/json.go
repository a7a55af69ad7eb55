package render

import (
	"bytes"
	"encoding/json"
	"io"

	"pidsbench/internal/results"
)

// JSON writes the whole results model, one cell a line.
func JSON(w io.Writer, r *results.Results) error {
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
	out.Write(b[at+len(empty):])
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}
