package onnx

import (
	"path/filepath"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// Describe returns what score files say about the detector, from its folder's files alone: no library is loaded. Its
// errors are those of Open that concern the files.
func Describe(dir string, e detect.Entry, seed int) (detect.Info, error) {
	f, err := readFolder(dir, e)
	if err != nil {
		return detect.Info{}, err
	}
	return describe(f, e, seed), nil
}

func describe(f *folder, e detect.Entry, seed int) detect.Info {
	info := detect.Info{
		ID: e.ID, DisplayName: e.Name, Kind: "onnx", Seed: seed, ConfigHash: e.Hash(), Files: f.files,
		Precision: f.graph.precision(), MaxLength: e.MaxLength, Stride: e.Stride, TrainSHA256: f.trainSHA256,
	}
	if v := declaredVersion(); v != "" {
		info.Runtime = "onnxruntime " + v
	}
	if info.MaxLength == 0 {
		info.MaxLength = f.maxLength(e)
	}
	if info.Stride == 0 {
		info.Stride = detect.DefaultStride
	}
	if (info.DisplayName == "" || info.DisplayName == e.ID) && f.displayName != "" {
		info.DisplayName = f.displayName
	}
	return info
}

// maxLength returns the tokens a window may hold where the entry does not say: as many as padding goes to, else as the
// model has positions for; 0 when neither says.
func (f *folder) maxLength(e detect.Entry) int {
	if pad := e.PadLengths(); len(pad) > 0 {
		return pad[len(pad)-1]
	}
	n, _ := f.config.positions()
	return n
}

// precision returns how the graph's weights are stored and what is computed with, as the entry's precision has it.
func (g *graph) precision() string {
	switch {
	case g.int8:
		return detect.Int8
	case g.int8Weights: // each becomes a float32 before it is computed with
		return detect.Int8Weights
	case g.fp16:
		return detect.FP16
	}
	return detect.FP32
}

// wrongPrecision is the error of an entry that says another precision than its graph has.
func wrongPrecision(e detect.Entry, f *folder) error {
	holds, model := f.graph.precision(), f.modelPath
	if name, err := filepath.Rel(f.dir, f.modelPath); err == nil {
		model = f.path(filepath.ToSlash(name))
	}
	return fault.New(fault.Usage, "%s holds %s (%s), but %s has %s (%s)", e.Where("precision"), fault.Quote(e.Precision),
		detect.PrecisionInWords(e.Precision), model, fault.Quote(holds), detect.PrecisionInWords(holds)).
		WithCure("write `precision: %s`, or use another model file", holds)
}
