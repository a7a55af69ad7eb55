package scores

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/engine"
	"pidsbench/internal/fault"
)

// Line is what a score file holds about one row: a score, an error, or that its text is missing.
type Line struct {
	Row          int     // 0-based in its split
	Score        float64 // P(injection) in [0,1]; meaningless unless Scored
	Windows      int     // windows scored; 0 for detectors without tokens, then the next two are 0 as well
	Tokens       int     // of the whole text
	TokensScored int     // fewer than Tokens when the text was truncated
	NULs         int     // NUL bytes removed before scoring
	Error        string  // why there is no score
	MissingText  bool    // the text is withheld
}

// Scored reports whether the row has a score.
func (l Line) Scored() bool { return l.Error == "" && !l.MissingText }

// Truncated reports whether tokens of the row's text were left unseen.
func (l Line) Truncated() bool { return l.TokensScored < l.Tokens }

// FromResult returns the line for a result of the engine.
func FromResult(r engine.Result) Line {
	if r.Err != "" {
		return Line{Row: r.Row, Error: r.Err}
	}
	return Line{Row: r.Row, Score: r.Score, Windows: r.Windows, Tokens: r.Tokens, TokensScored: r.TokensScored,
		NULs: r.NULs}
}

// check returns what is wrong with a line of a file with the header.
func (l Line) check(h *Header) error {
	switch {
	case l.Row < 0 || l.Row >= h.Rows:
		return fmt.Errorf("row is %d, expected one of the %d rows of the split, counted from 0", l.Row, h.Rows)
	case !h.Info.Shard.Has(l.Row):
		return fmt.Errorf("row is %d, expected a row of shard %s", l.Row, h.Info.Shard)
	case !(l.Score >= 0 && l.Score <= 1): // NaN too
		return fmt.Errorf("the score of row %d is %v, expected 0 to 1", l.Row, l.Score)
	case !l.Scored() && l != Line{Row: l.Row, Error: l.Error, MissingText: l.MissingText}:
		return fmt.Errorf("row %d has counts or a score beside its error or missing text, expected one of them", l.Row)
	case l.Error != "" && l.MissingText:
		return fmt.Errorf("row %d has an error and a missing text, expected one of them", l.Row)
	case len(l.Error) > maxError || !utf8.ValidString(l.Error):
		return fmt.Errorf("the error of row %d is no UTF-8 of at most %d bytes", l.Row, maxError)
	case l.Windows < 0 || l.NULs < 0 || l.TokensScored < 0 || l.Tokens < l.TokensScored:
		return fmt.Errorf("row %d has %d windows, %d tokens, %d of them scored, %d NUL bytes: expected counts that fit",
			l.Row, l.Windows, l.Tokens, l.TokensScored, l.NULs)
	case l.Windows == 0 && l.Tokens != 0:
		return fmt.Errorf("row %d has %d tokens without a window, expected both or none", l.Row, l.Tokens)
	case h.WindowMode == engine.Max && l.TokensScored != l.Tokens:
		return fmt.Errorf("row %d has %d of %d tokens scored, expected all of them in window mode max", l.Row,
			l.TokensScored, l.Tokens)
	case h.WindowMode == engine.Truncate && l.Windows > 1:
		return fmt.Errorf("row %d has %d windows, expected one in window mode truncate", l.Row, l.Windows)
	case h.MaxLength > 0 && l.Windows == 1 && l.TokensScored > h.MaxLength:
		return fmt.Errorf("row %d has a window of %d tokens, expected at most %d (max_length)", l.Row, l.TokensScored,
			h.MaxLength)
	}
	return nil
}

// appendTo appends the line in its one written form. The score is the shortest decimal that reads back to the same
// float64.
func (l Line) appendTo(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"row":`...), int64(l.Row), 10)
	switch {
	case l.MissingText:
		b = append(b, `,"missing_text":true`...)
	case l.Error != "":
		text, err := json.Marshal(l.Error)
		if err != nil { // a string always marshals
			panic(err)
		}
		b = append(append(b, `,"error":`...), text...)
	default:
		b = strconv.AppendFloat(append(b, `,"score":`...), l.Score, 'g', -1, 64)
		count := func(name string, n int) { b = strconv.AppendInt(append(b, name...), int64(n), 10) }
		if l.Windows > 0 {
			count(`,"windows":`, l.Windows)
			count(`,"tokens":`, l.Tokens)
			count(`,"tokens_scored":`, l.TokensScored)
		}
		if l.NULs > 0 {
			count(`,"nuls":`, l.NULs)
		}
	}
	return append(b, "}\n"...)
}

// fields is the line as JSON.
type fields struct {
	Row          *int     `json:"row"`
	Score        *float64 `json:"score"`
	Windows      *int     `json:"windows"`
	Tokens       *int     `json:"tokens"`
	TokensScored *int     `json:"tokens_scored"`
	NULs         *int     `json:"nuls"`
	Error        *string  `json:"error"`
	MissingText  *bool    `json:"missing_text"`
}

// parseLine reads a line in any JSON spelling that has each field once. It does not check the values against a header.
func parseLine(raw []byte) (Line, error) {
	var own [256]byte
	if l := scan(raw); bytes.Equal(l.appendTo(own[:0]), raw) {
		return l, nil
	}
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		return Line{}, jsonError(err)
	}
	l, err := f.line()
	if err != nil {
		return Line{}, err
	}
	return l, onlyFields(raw, &f)
}

// scan reads the line of a row with a score as this package writes it, ten times as fast as a JSON decoder. Of anything
// else it makes some line or other: the caller must compare.
func scan(raw []byte) (l Line) {
	rest := raw
	number := func(name string) []byte {
		if !bytes.HasPrefix(rest, []byte(name)) {
			return nil
		}
		n := rest[len(name):]
		end := bytes.IndexAny(n, ",}")
		if end < 0 {
			return nil
		}
		rest = n[end:]
		return n[:end]
	}
	count := func(name string) int {
		n, _ := strconv.Atoi(string(number(name)))
		return n
	}
	l.Row = count(`{"row":`)
	l.Score, _ = strconv.ParseFloat(string(number(`,"score":`)), 64)
	l.Windows = count(`,"windows":`)
	l.Tokens = count(`,"tokens":`)
	l.TokensScored = count(`,"tokens_scored":`)
	l.NULs = count(`,"nuls":`)
	return l
}

func (f *fields) line() (Line, error) {
	if f.Row == nil {
		return Line{}, errors.New("row is missing")
	}
	l := Line{Row: *f.Row}
	states := 0
	for _, has := range []bool{f.Score != nil, f.Error != nil, f.MissingText != nil} {
		if has {
			states++
		}
	}
	if states != 1 {
		return Line{}, fmt.Errorf("row %d has %d of score, error and missing_text, expected exactly one", l.Row, states)
	}
	if f.Error != nil {
		if l.Error = *f.Error; l.Error == "" {
			return Line{}, fmt.Errorf("the error of row %d is empty, expected a reason", l.Row)
		}
	}
	if f.MissingText != nil {
		if l.MissingText = *f.MissingText; !l.MissingText {
			return Line{}, fmt.Errorf("missing_text of row %d is false, expected true or no such field", l.Row)
		}
	}
	counts := []struct {
		from *int
		to   *int
	}{{f.Windows, &l.Windows}, {f.Tokens, &l.Tokens}, {f.TokensScored, &l.TokensScored}, {f.NULs, &l.NULs}}
	given := 0
	for i, c := range counts {
		if c.from == nil {
			continue
		}
		*c.to = *c.from
		if f.Score == nil {
			return Line{}, fmt.Errorf("row %d has counts but no score, expected both", l.Row)
		}
		if i < 3 {
			given++
		}
	}
	if given%3 != 0 {
		return Line{}, fmt.Errorf("row %d has %d of windows, tokens and tokens_scored, expected all or none", l.Row, given)
	}
	if f.Score != nil {
		l.Score = *f.Score
	}
	return l, nil
}

// onlyFields returns an error unless the raw JSON object holds fields of the struct that v points to alone, spelled
// exactly so, and each of them once.
func onlyFields(raw []byte, v any) error {
	if !utf8.Valid(raw) {
		return errors.New("the line is no valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return jsonError(err)
	}
	return uniqueKeys(raw)
}

// uniqueKeys returns an error when an object in the raw JSON value has a key twice, or one with other characters than
// our fields have: the decoder takes "Row" for row as well.
func uniqueKeys(raw []byte) error {
	type level struct {
		object bool
		keys   map[string]bool
		key    bool // a key comes next
	}
	var stack []level
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return jsonError(err)
		}
		if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if n := len(stack); n > 0 && stack[n-1].object {
			top := &stack[n-1]
			if top.key {
				key := tok.(string)
				if top.keys[key] {
					return fmt.Errorf("field %s stands twice", fault.Quote(key))
				}
				if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
					return fmt.Errorf("field %s is unknown, expected lower-case letters", fault.Quote(key))
				}
				top.keys[key] = true
				top.key = false
				continue
			}
			top.key = true // after this value
		}
		if d, ok := tok.(json.Delim); ok {
			stack = append(stack, level{object: d == '{', keys: map[string]bool{}, key: d == '{'})
		}
	}
}

// jsonError makes the decoder's message fit into a sentence.
func jsonError(err error) error {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		field := strings.TrimPrefix(strings.TrimPrefix(wrongType.Field, "Header."), "Identity.")
		return fmt.Errorf("field %s holds a %s, expected %s", field, fault.Line(wrongType.Value), wrongType.Type)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return err // tells a torn line from a wrong one
	}
	return errors.New(fault.Line(strings.TrimPrefix(err.Error(), "json: ")))
}
