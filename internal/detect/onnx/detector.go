//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"fmt"
	"sync"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

const defaultBatchTokens = 512

// Detector scores windows of tokens with an ONNX graph. It is safe for concurrent use; all callers share one session.
type Detector struct {
	info    detect.Info
	shape   detect.Shape
	head    head
	tokens  *tokenizer
	session *session
	padID   int64
	pad     []int // a window is padded to the first of these lengths that holds it; nil: to the longest of its batch
	counts  positionCount

	mu     sync.RWMutex // held for reading during native calls, so that Close cannot free what they use
	closed bool
}

var _ detect.TokenScorer = (*Detector)(nil)

// Open loads the model folder dir (absolute) of an entry of kind onnx. Errors are of kind Incomplete where something is
// missing (the library, the folder, a file), Integrity where a file is broken or leads out of the folder, and Usage
// where the entry does not fit the model.
func Open(dir string, e detect.Entry, seed int) (*Detector, error) {
	version, err := loadLibrary()
	if err != nil {
		return nil, err
	}
	f, err := readFolder(dir, e)
	if err != nil {
		return nil, err
	}
	d := &Detector{}
	if d.tokens, err = newTokenizer(f.tokenizer, e.SpecialTokensInText != "special"); err != nil {
		return nil, fault.New(fault.Integrity, "%s cannot be used: %s", f.path("tokenizer.json"), firstLine(err)).
			WithCure("%s", f.cure)
	}
	if err := d.load(f, e); err != nil {
		d.Close()
		return nil, err
	}
	f.model = nil
	d.info = describe(f, e, seed)
	d.info.Runtime = "onnxruntime " + version
	return d, nil
}

func (d *Detector) load(f *folder, e detect.Entry) error {
	sig, err := newSignature(f.graph, f.modelPath, e)
	if err != nil {
		return err
	}
	if d.session, err = openSession(f, *sig); err != nil {
		return err
	}
	if p := f.config.PadTokenID; p != nil && *p >= 0 {
		d.padID = int64(*p)
	} else if d.tokens.padID >= 0 {
		d.padID = int64(d.tokens.padID)
	}
	d.pad, d.counts = e.PadLengths(), f.config.positionCount()
	if d.shape, err = d.windowShape(f, e); err != nil {
		return err
	}
	if err := d.firstRun(f); err != nil {
		return err
	}
	if err := d.probeBatch(f, e); err != nil {
		return err
	}
	d.head, err = f.head(e, d.session.width)
	return err
}

func (d *Detector) windowShape(f *folder, e detect.Entry) (detect.Shape, error) {
	s := detect.Shape{
		MaxLength: e.MaxLength, Stride: e.Stride, BatchTokens: e.BatchTokens,
		Special: len(d.tokens.prefix) + len(d.tokens.suffix),
	}
	limit, hard := f.config.positions()
	if s.MaxLength == 0 {
		s.MaxLength = f.maxLength(e)
	}
	if s.Stride == 0 {
		s.Stride = detect.DefaultStride
	}
	if s.BatchTokens <= 0 {
		s.BatchTokens = defaultBatchTokens
	}
	entry := "correct its entry in configs/detectors.yaml"
	switch {
	case s.MaxLength == 0:
		return s, fault.New(fault.Usage, "%s is missing, and %s; expected the tokens that a window may hold",
			e.Where("max_length"), f.lacks("names no limit (max_position_embeddings)")).WithCure("add max_length to the entry")
	case hard && s.MaxLength > limit:
		return s, fault.New(fault.Usage, "detector %q: max_length is %d, the model has positions for %d tokens", e.ID,
			s.MaxLength, limit).WithCure("%s", entry)
	case hard && len(d.pad) > 0 && d.pad[len(d.pad)-1] > limit:
		return s, fault.New(fault.Usage, "detector %q: pad is %q, the model has positions for %d tokens", e.ID, e.Pad,
			limit).WithCure("%s", entry)
	case s.Stride >= s.MaxLength-s.Special:
		return s, fault.New(fault.Usage,
			"detector %q: stride is %d, expected less than the %d tokens of a window (max_length %d less %d special tokens)",
			e.ID, s.Stride, s.MaxLength-s.Special, s.MaxLength, s.Special).WithCure("%s", entry)
	case e.Precision != "" && e.Precision != f.graph.precision():
		return s, wrongPrecision(e, f)
	case e.Pad == "batch" && !d.canShare(f):
		return s, errCannotPad(e)
	}
	if e.Pad == "none" || !d.canShare(f) {
		s.BatchRows = 1
	}
	return s, nil
}

// Info returns the detector's identity for score files and tables.
func (d *Detector) Info() detect.Info { return d.info }

// Shape returns how windows and batches are to be cut. BatchRows is 1 where scores would depend on batch-mates: with
// pad none, for int8 arithmetic, without an attention mask, and where a check at opening found other bits in a batch.
func (d *Detector) Shape() detect.Shape { return d.shape }

// Close frees the session and the tokenizer, after the calls in flight have ended. Later calls return an error.
func (d *Detector) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	var err error
	if d.session != nil {
		err = d.session.close()
	}
	d.tokens.close()
	return err
}

var errClosed = fault.New(fault.Failed, "the detector is closed")

// Tokenize returns the ids of the whole text, without special tokens and without truncation. An empty list is right
// for a text of which the tokenizer's normaliser leaves nothing, such as white space alone. It is an error for a text
// with a NUL byte or invalid UTF-8, and where the tokenizer fails or drops letters or digits.
func (d *Detector) Tokenize(text string) ([]uint32, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return nil, errClosed
	}
	return d.tokens.ids(text)
}

// ScoreWindows returns one score in [0,1] a window, in order: NaN for a window whose logits are NaN or infinite,
// which the caller counts as a row error. An error means that none of the windows was scored: ctx.Err() after a
// cancellation, otherwise a window out of bounds or a failure of the graph. Windows may be empty. It cuts what it is
// given into runs of at most Shape().BatchTokens padded tokens and Shape().BatchRows rows.
func (d *Detector) ScoreWindows(ctx context.Context, windows [][]uint32) ([]float64, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.closed {
		return nil, errClosed
	}
	for i, w := range windows {
		if room := d.shape.MaxLength - d.shape.Special; len(w) > room {
			return nil, fmt.Errorf("window %d holds %d tokens, expected at most %d", i, len(w), room)
		}
	}
	scores := make([]float64, 0, len(windows))
	for len(windows) > 0 {
		n := d.fit(windows)
		logits, err := d.logits(ctx, windows[:n])
		if err != nil {
			return nil, err
		}
		for ; len(logits) > 0; logits = logits[d.session.width:] {
			scores = append(scores, d.head.score(logits[:d.session.width]))
		}
		windows = windows[n:]
	}
	return scores, nil
}

// fit returns how many of the next windows go into one run: at least one.
func (d *Detector) fit(windows [][]uint32) int {
	longest := 0
	for n, w := range windows {
		length := d.rowLength(w)
		if n == 0 || d.pad == nil {
			longest = max(longest, length)
		}
		if n > 0 && (longest*(n+1) > d.shape.BatchTokens || n == d.shape.BatchRows || d.pad != nil && length != longest) {
			return n
		}
	}
	return len(windows)
}
