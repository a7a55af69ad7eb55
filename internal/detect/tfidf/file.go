package tfidf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
)

// A model file is a line of JSON (the header), a record a term, and the SHA-256 of all that in binary. A record is the
// length of the term in bytes and the term, its document frequency (both numbers as unsigned varints), and its weight
// as a little-endian float64. The same model always gives the same bytes, and only those bytes are read.
const schema = "pidsbench-tfidf/1"

type header struct {
	Schema      string     `json:"schema"`
	Parameters  Parameters `json:"parameters"`
	TrainSHA256 string     `json:"train_sha256"`
	Benign      int        `json:"benign"`
	Injection   int        `json:"injection"`
	Terms       int        `json:"terms"`
	Intercept   float64    `json:"intercept"`
}

const (
	maxFile   = 1 << 30 // bytes of a model file; a million terms take about 30 MiB
	maxRows   = 1 << 30 // training rows a header may claim
	minRecord = 12      // bytes of the shortest record: 1 + 2 + 1 + 8
)

var shaPattern = regexp.MustCompile(`^([0-9a-f]{64})?$`)

// Bytes returns the model in the file format.
func (m *Model) Bytes() []byte {
	head, err := json.Marshal(header{
		schema, m.Parameters, m.TrainSHA256, m.Benign, m.Injection, len(m.terms), m.Intercept,
	})
	if err != nil { // finite numbers and plain strings always marshal
		panic(err)
	}
	b := append(head, '\n')
	for i, term := range m.terms {
		b = binary.AppendUvarint(b, uint64(len(term)))
		b = append(b, term...)
		b = binary.AppendUvarint(b, uint64(m.df[i]))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.weight[i]))
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// WriteFile puts the model into a file in one step, so that a reader never sees half a model.
func (m *Model) WriteFile(path string) error {
	err := atomicfile.Write(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(m.Bytes())
		return err
	})
	if err != nil {
		return fault.New(fault.Failed, "cannot write the model %s: %w", path, err)
	}
	return nil
}

// readFile reads a model file and returns the SHA-256 of its bytes in hex as well. Its errors are those of Open.
func readFile(path string) (*Model, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fault.New(fault.Failed, "cannot read the model: %w", err).
			WithCure("fit one with pidsbench train tfidf")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, "", fault.New(fault.Failed, "cannot read the model: %w", err)
	}
	m, err := Read(data)
	if err != nil {
		return nil, "", fault.New(fault.Integrity, "%s: %w", path, err).
			WithCure("delete it and fit it again with pidsbench train tfidf")
	}
	sum := sha256.Sum256(data)
	return m, hex.EncodeToString(sum[:]), nil
}

// Read decodes the bytes of a model file. The error says what was found at which place and what was expected.
func Read(data []byte) (*Model, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("the model file holds more than %d bytes", maxFile)
	}
	line, rest, found := bytes.Cut(data, []byte{'\n'})
	if !found || !json.Valid(line) {
		return nil, errors.New("the first line is no JSON header, expected a model written by pidsbench train tfidf")
	}
	var version struct{ Schema string }
	if err := json.Unmarshal(line, &version); err != nil || version.Schema != schema {
		return nil, fmt.Errorf("header: schema is %.40q, expected %q", version.Schema, schema)
	}
	if len(rest) < sha256.Size {
		return nil, errors.New("the file ends before its checksum")
	}
	body, sum := rest[:len(rest)-sha256.Size], rest[len(rest)-sha256.Size:]
	if want := sha256.Sum256(data[:len(data)-sha256.Size]); !bytes.Equal(sum, want[:]) {
		return nil, errors.New("the checksum at the end does not match the content: the file is damaged or cut off")
	}
	h, err := readHeader(line, len(body))
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	m := &Model{
		Parameters: h.Parameters, TrainSHA256: h.TrainSHA256, Benign: h.Benign, Injection: h.Injection,
		Intercept: h.Intercept,
	}
	if err := m.readTerms(body, h.Terms); err != nil {
		return nil, err
	}
	m.index()
	return m, nil
}

func readHeader(line []byte, body int) (header, error) {
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return h, errors.New("a field holds a value of the wrong type")
	}
	switch {
	case h.Parameters != Paper:
		return h, errors.New("parameters are other than this version's")
	case !shaPattern.MatchString(h.TrainSHA256):
		return h, fmt.Errorf("train_sha256 is %.40q, expected 64 hex digits", h.TrainSHA256)
	case h.Benign < 1 || h.Benign > maxRows || h.Injection < 1 || h.Injection > maxRows:
		return h, fmt.Errorf("benign is %d and injection %d, expected 1 to %d", h.Benign, h.Injection, maxRows)
	case h.Terms < 1 || h.Terms > body/minRecord:
		return h, fmt.Errorf("terms is %d, expected 1 to %d, what the %d bytes after it can hold",
			h.Terms, body/minRecord, body)
	}
	if again, err := json.Marshal(h); err != nil || !bytes.Equal(again, line) {
		return h, errors.New("fields are unknown, missing, repeated or in another order or spelling")
	}
	return h, nil
}

func (m *Model) readTerms(b []byte, terms int) error {
	m.terms, m.df, m.weight = make([]string, 0, terms), make([]int, 0, terms), make([]float64, 0, terms)
	last := ""
	for i := range terms {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("term %d of %d: %s", i+1, terms, fmt.Sprintf(format, args...))
		}
		length, n := uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return bad("its length is damaged or leads beyond the file")
		}
		term := string(b[n : n+int(length)])
		b = b[n+int(length):]
		if !termShape(term) || term <= last {
			return bad("%.40q is no rising term of one or two words", term)
		}
		df, n := uvarint(b)
		if n <= 0 || df < 1 || df > uint64(m.Benign)+uint64(m.Injection) || len(b)-n < 8 {
			return bad("document frequency is damaged or %d, expected 1 to %d", df, m.Benign+m.Injection)
		}
		weight := math.Float64frombits(binary.LittleEndian.Uint64(b[n:]))
		if math.IsNaN(weight) || math.IsInf(weight, 0) {
			return bad("weight is %g, expected a finite number", weight)
		}
		b = b[n+8:]
		m.terms, m.df, m.weight = append(m.terms, term), append(m.df, int(df)), append(m.weight, weight)
		last = term
	}
	if len(b) != 0 {
		return fmt.Errorf("%d bytes follow the last term", len(b))
	}
	return nil
}

// uvarint decodes a number in its shortest form only.
func uvarint(b []byte) (v uint64, n int) {
	v, n = binary.Uvarint(b)
	if n > 1 && b[n-1] == 0 {
		return 0, -1
	}
	return v, n
}

// termShape tells whether the term is one word of two runes or more, or two of them with a space between.
func termShape(term string) bool {
	if !utf8.ValidString(term) {
		return false
	}
	first, second, two := strings.Cut(term, " ")
	return utf8.RuneCountInString(first) >= 2 &&
		(!two || utf8.RuneCountInString(second) >= 2 && !strings.Contains(second, " "))
}
