//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
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
	if d.shape, err = d.windowShape(f, e); err != nil {
		return err
	}
	if err := d.probeWidth(f); err != nil {
		return err
	}
	if err := d.probeBatch(f, e); err != nil {
		return err
	}
	labels, err := f.config.labels()
	if err != nil {
		return fault.New(fault.Integrity, "%s: %w", f.path("config.json"), err).WithCure("%s", f.cure)
	}
	d.head, err = newHead(e, labels, d.session.width)
	return err
}

func (d *Detector) windowShape(f *folder, e detect.Entry) (detect.Shape, error) {
	s := detect.Shape{
		MaxLength: e.MaxLength, Stride: e.Stride, BatchTokens: e.BatchTokens,
		Special: len(d.tokens.prefix) + len(d.tokens.suffix),
	}
	limit, hard := f.config.positions()
	if s.MaxLength == 0 {
		s.MaxLength = limit
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
		return s, fault.New(fault.Usage, "detector %q: max_length is not set and config.json names no limit", e.ID).
			WithCure("set max_length in configs/detectors.yaml")
	case hard && s.MaxLength > limit:
		return s, fault.New(fault.Usage, "detector %q: max_length is %d, the model has positions for %d tokens", e.ID,
			s.MaxLength, limit).WithCure("%s", entry)
	case s.Stride >= s.MaxLength-s.Special:
		return s, fault.New(fault.Usage,
			"detector %q: stride is %d, expected less than the %d tokens of a window (max_length %d less %d special tokens)",
			e.ID, s.Stride, s.MaxLength-s.Special, s.MaxLength, s.Special).WithCure("%s", entry)
	case e.Precision != "" && e.Precision != f.graph.precision():
		return s, fault.New(fault.Usage, "detector %q: precision is %q, the graph holds %q",
			e.ID, e.Precision, f.graph.precision()).WithCure("%s", entry)
	case e.Pad == "batch" && !d.canPad(f):
		return s, errCannotPad(e)
	}
	if e.Pad == "none" || !d.canPad(f) {
		s.BatchRows = 1
	}
	return s, nil
}

// canPad says that nothing in the graph's form makes a window's score depend on its batch: it takes a mask and many
// rows, and does not scale its activations by what else is in the batch.
func (d *Detector) canPad(f *folder) bool {
	return d.session.masked && !d.session.single && !f.graph.int8
}

// probeWidth finds the number of logits with a run of one token where the graph does not declare it.
func (d *Detector) probeWidth(f *folder) error {
	if d.session.width > 0 {
		return nil
	}
	logits, err := d.logits(context.Background(), [][]uint32{{uint32(d.padID)}})
	if err != nil {
		return fault.New(fault.Integrity, "%s does not run on one token: %s", f.modelPath, firstLine(err)).
			WithCure("%s", f.cure)
	}
	if len(logits) == 0 {
		return fault.New(fault.Integrity, "%s gives no logits", f.modelPath).WithCure("%s", f.cure)
	}
	d.session.width = len(logits)
	return nil
}

// probeBatch makes sure that scores do not depend on the batch, bit by bit, and gives windows a run each where they do:
// most graphs are safe, but one that sums over the tokens may sum in another order for another number of rows.
func (d *Detector) probeBatch(f *folder, e detect.Entry) error {
	if d.shape.BatchRows == 1 {
		return nil
	}
	ids, err := d.tokens.ids(strings.Repeat("In 3 steps: read the text, then weigh each word of it! ", 8))
	if err != nil {
		return fault.New(fault.Integrity, "%s cannot be used: %w", f.path("tokenizer.json"), err).WithCure("%s", f.cure)
	}
	var windows [][]uint32
	var alone []float32
	for _, n := range []int{1, 6, 19, 37, 70} {
		w := ids[:min(n, len(ids), d.shape.MaxLength-d.shape.Special)]
		logits, err := d.logits(context.Background(), [][]uint32{w})
		if err != nil {
			return fault.New(fault.Integrity, "%s does not run: %s", f.modelPath, firstLine(err)).WithCure("%s", f.cure)
		}
		windows, alone = append(windows, w), append(alone, logits...)
	}
	together, err := d.logits(context.Background(), windows)
	if err == nil && slices.EqualFunc(alone, together, sameBits) {
		return nil
	}
	if e.Pad == "batch" {
		return errCannotPad(e)
	}
	d.shape.BatchRows = 1
	return nil
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func errCannotPad(e detect.Entry) error {
	return fault.New(fault.Usage,
		"detector %q: pad is \"batch\", but this graph's scores would depend on the padding", e.ID).
		WithCure("set `pad: none` in configs/detectors.yaml")
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
		longest = max(longest, len(w)+d.shape.Special)
		if n > 0 && (longest*(n+1) > d.shape.BatchTokens || n == d.shape.BatchRows) {
			return n
		}
	}
	return len(windows)
}

// logits runs the graph once over all windows, padded on the right to the longest, and returns the logits row by row.
func (d *Detector) logits(ctx context.Context, windows [][]uint32) ([]float32, error) {
	length := 0
	for _, w := range windows {
		length = max(length, len(w)+d.shape.Special)
	}
	if length == 0 {
		return nil, fmt.Errorf("a window is empty and the model has no special tokens")
	}
	if int64(len(windows))*int64(length) > math.MaxInt32 {
		return nil, fmt.Errorf("a batch of %d windows of %d tokens is too large", len(windows), length)
	}
	ids := make([]int64, len(windows)*length)
	mask := make([]int64, len(ids))
	kinds := make([]int64, len(ids))
	for i, w := range windows {
		d.fillRow(w, ids[i*length:(i+1)*length], mask[i*length:(i+1)*length], kinds[i*length:(i+1)*length])
	}
	return d.session.run(ctx, len(windows), length,
		map[string][]int64{"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds})
}

func (d *Detector) fillRow(window []uint32, ids, mask, kinds []int64) {
	at := 0
	put := func(id, kind int64) {
		ids[at], mask[at], kinds[at] = id, 1, kind
		at++
	}
	for _, s := range d.tokens.prefix {
		put(int64(s.id), s.kind)
	}
	for _, id := range window {
		put(int64(id), d.tokens.textType)
	}
	for _, s := range d.tokens.suffix {
		put(int64(s.id), s.kind)
	}
	for ; at < len(ids); at++ {
		ids[at] = d.padID
	}
}
