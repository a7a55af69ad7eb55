// Package detect holds what every detector has in common: the interfaces the engine works with, the configuration
// entry, and the trivial baselines. The kinds of detectors live in the packages below this one.
package detect

import "context"

// Info is what score files and tables say about a detector.
type Info struct {
	ID          string
	DisplayName string
	Kind        string // rule, tfidf, constant, onnx
	Seed        int
	ConfigHash  string // SHA-256 (hex) over everything in the entry that can change a score
	Files       []File // model files, sorted by path; empty when there are none
	Precision   string // fp32, fp16 (stored), int8; empty for detectors without weights
	MaxLength   int    // tokens a window may hold, special tokens counted; 0 = unlimited
	Stride      int    // tokens by which neighbouring windows overlap
	Runtime     string // "onnxruntime 1.30.0"; empty for native Go
	TrainSHA256 string // of the train split the weights were fitted on; empty when unknown or none
}

// File is a model file by its path relative to the model folder.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Detector gives a text a score: P(injection) in [0,1]. It is also a TextScorer or a TokenScorer.
type Detector interface {
	Info() Info
	Close() error
}

// TextScorer scores a text as a whole. Score is safe for concurrent use.
type TextScorer interface {
	Detector
	Score(ctx context.Context, text string) (float64, error)
}

// TokenScorer scores windows of tokens. All methods are safe for concurrent use.
type TokenScorer interface {
	Detector
	// Tokenize returns the ids of the whole text, without special tokens. The text holds no NUL byte.
	Tokenize(text string) ([]uint32, error)
	// Shape says how windows and batches are cut.
	Shape() Shape
	// ScoreWindows returns one score a window. A window is a run of ids from Tokenize, at most
	// Shape().MaxLength-Shape().Special long; the scorer adds the special tokens and pads.
	ScoreWindows(ctx context.Context, windows [][]uint32) ([]float64, error)
}

// Shape bounds the windows and batches of a TokenScorer.
type Shape struct {
	MaxLength   int // tokens in a window, special tokens counted
	Special     int // special tokens added to each window: 2 for [CLS] … [SEP]
	Stride      int // tokens shared by neighbouring windows
	BatchTokens int // most tokens (padded length × rows) in one call of ScoreWindows
	BatchRows   int // most windows in one call; 1 where scores depend on batch-mates (int8); 0 = no limit
}
