package detect

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// mistake is a field that holds what it must not, or is missing.
type mistake struct {
	path            []any // of the field in the entry
	field           string
	found, expected string
}

// in is the error for a mistake in the entry that stands at place i of a file.
func (m *mistake) in(f *strictyaml.File, i int) error {
	path := append([]any{"detectors", i}, m.path...)
	if !f.Has(path...) {
		return f.Fail(f.Line(path...), "field %s is missing, expected %s", m.field, m.expected).WithCure("add it")
	}
	return f.Fail(f.Line(path...), "field %s holds %s, expected %s", m.field, m.found, m.expected)
}

func (e *Entry) mistake() *mistake {
	return cmp.Or(e.wrongNames(), e.wrongFields(), e.wrongPaths(), e.wrongNumbers(), e.wrongProcess(), e.wrongChat(),
		e.wrongSources(), e.idleSeeds())
}

var (
	idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)
	kinds     = []string{"onnx", "rule", "tfidf", "constant", "process", "chat"}
	rules     = []string{"block", "allow", "random", "length"}
)

// The values of precision: how the weights of a graph are stored and what is computed with.
const (
	FP32        = "fp32"
	FP16        = "fp16"         // stored; computed in float32
	Int8        = "int8"         // stored and computed
	Int8Weights = "int8-weights" // stored; computed in float32
)

// PrecisionInWords says what a value of precision means.
func PrecisionInWords(precision string) string {
	return map[string]string{
		FP32: "fp32 storage and arithmetic", FP16: "fp16 storage, fp32 arithmetic", Int8: "int8 storage and arithmetic",
		Int8Weights: "int8 storage, fp32 arithmetic",
	}[precision]
}

// wrongNames looks at the fields that hold one of several words.
func (e *Entry) wrongNames() *mistake {
	switch {
	case !idPattern.MatchString(e.ID):
		return wrong("id", fault.Quote(e.ID), "lower-case letters, digits, dots and dashes")
	case e.ID == "all":
		return wrong("id", fault.Quote(e.ID), "another name: all stands for every detector")
	case !slices.Contains(kinds, e.Kind):
		return wrong("kind", fault.Quote(e.Kind), strings.Join(kinds, ", "))
	case e.Kind == "constant" && !slices.Contains(rules, e.Rule):
		return wrong("rule", fault.Quote(e.Rule), strings.Join(rules, ", "))
	case e.Kind != "constant" && e.Rule != "":
		return wrong("rule", fault.Quote(e.Rule), "none for the kind "+e.Kind)
	}
	for _, f := range []struct {
		name, found string
		allowed     []string
	}{
		{"head", e.Head, []string{"softmax", "sigmoid"}},
		{"precision", e.Precision, []string{FP32, FP16, Int8, Int8Weights}},
		{"special_tokens_in_text", e.SpecialTokensInText, []string{"literal", "special"}},
	} {
		if f.found != "" && !slices.Contains(f.allowed, f.found) {
			last := len(f.allowed) - 1
			return wrong(f.name, fault.Quote(f.found), strings.Join(f.allowed[:last], ", ")+" or "+f.allowed[last])
		}
	}
	if _, ok := padLengths(e.Pad); !ok {
		return wrong("pad", fault.Quote(e.Pad), "batch, none, to:N or buckets:[N,N] with ascending numbers of tokens")
	}
	switch {
	case e.Veto != nil && e.Kind != "onnx":
		return wrong("veto", fault.Quote(e.Veto.Class), "none for the kind "+e.Kind)
	case e.Veto != nil && e.Veto.Class == "":
		return &mistake{[]any{"veto", "class"}, "veto.class", fault.Quote(""), "a class name or index"}
	case e.Augment != "" && e.Kind != "tfidf":
		return wrong("augment", fault.Quote(e.Augment), "none for the kind "+e.Kind)
	case e.Pool != 0 && e.Kind != "tfidf":
		return wrong("pool", strconv.Itoa(e.Pool), "none for the kind "+e.Kind)
	case e.Pool < 0:
		return wrong("pool", strconv.Itoa(e.Pool), pools)
	case e.Pool > 0 && e.Augment == "":
		return wrong("augment", fault.Quote(""), "the file whose rows the pool of "+strconv.Itoa(e.Pool)+" is drawn from")
	case e.Arm == "" && e.ArmOf != "":
		return wrong("arm", fault.Quote(""), "what was added to the training of "+fault.Name(e.ArmOf)+", in a word")
	case e.Arm != "" && e.ArmOf == "":
		return wrong("arm_of", fault.Quote(""), "the id of the detector that the arm "+fault.Name(e.Arm)+" is one of")
	}
	return nil
}

// strayArm returns the mistake of an arm whose detector is not there or is an arm itself.
func (e *Entry) strayArm(all []Entry) *mistake {
	at := slices.IndexFunc(all, func(other Entry) bool { return other.ID == e.ArmOf })
	switch {
	case e.ArmOf == "":
		return nil
	case at < 0:
		return wrong("arm_of", fault.Quote(e.ArmOf), "the id of another entry")
	case all[at].ArmOf != "": // itself too
		return wrong("arm_of", fault.Quote(e.ArmOf), "a detector that is no arm itself")
	}
	return nil
}

// wrongPaths looks at the fields that name files.
func (e *Entry) wrongPaths() *mistake {
	switch {
	case e.Kind == "onnx" && e.Model == "":
		return wrong("model", fault.Quote(e.Model), "the model's folder")
	case e.Model != "" && !localPath(e.Model):
		return wrong("model", fault.Quote(e.Model), "a path inside the project with slashes")
	case e.File != "" && !localPath(e.File):
		return wrong("file", fault.Quote(e.File), "a path inside the model folder with slashes")
	}
	return e.wrongPull()
}

// localPath reports whether a slash-separated path stays inside its folder on every system.
func localPath(s string) bool {
	return fs.ValidPath(s) && s != "." && !strings.ContainsAny(s, "\\:\x00")
}

// wrongNumbers looks at the fields that hold numbers.
func (e *Entry) wrongNumbers() *mistake {
	for i, seed := range e.Seeds {
		switch {
		case seed < 0:
			return wrong("seeds", strconv.Itoa(seed), "0 or more")
		case slices.Contains(e.Seeds[:i], seed):
			return wrong("seeds", strconv.Itoa(seed)+" twice", "each seed once")
		}
	}
	if e.Native != nil && !(*e.Native >= 0 && *e.Native <= 1) { // NaN too
		return wrong("native", number(*e.Native), "0 to 1")
	}
	if !(e.Temperature >= 0 && e.Temperature <= 1000) { // NaN too
		return wrong("temperature", number(e.Temperature), temperatures)
	}
	if e.Veto != nil && !(e.Veto.At > 0 && e.Veto.At <= 1) {
		return &mistake{[]any{"veto", "at"}, "veto.at", number(e.Veto.At), "more than 0, at most 1"}
	}
	if longest := e.longestPad(); longest > 0 && longest < e.MaxLength {
		return wrong("pad", fault.Quote(e.Pad), "at least the "+strconv.Itoa(e.MaxLength)+" tokens of max_length")
	}
	for _, f := range []struct {
		name  string
		found int
		most  int
	}{{"max_length", e.MaxLength, 1 << 20}, {"stride", e.Stride, 1 << 20}, {"batch_tokens", e.BatchTokens, 1 << 30}} {
		if f.found < 0 || f.found > f.most {
			return wrong(f.name, strconv.Itoa(f.found), "1 to "+strconv.Itoa(f.most)+" tokens")
		}
	}
	return nil
}

const (
	temperatures = "more than 0, at most 1000"
	pools        = "1 or more rows, or no such field for all"
)

// writtenZero returns the mistake of a 0 that the file spells out where 0 stands for a field that is left out.
func (e *Entry) writtenZero() *mistake {
	if e.Pool == 0 && e.place.file.Has("detectors", e.place.item, "pool") {
		if e.Kind != "tfidf" {
			return e.unused("pool", "0")
		}
		return wrong("pool", "0", pools)
	}
	for _, f := range []struct {
		name     string
		zero     bool
		expected string
	}{
		{"temperature", e.Temperature == 0, temperatures},
		{"max_length", e.MaxLength == 0, "1 or more tokens, or no such field for what the model takes"},
		{"stride", e.Stride == 0, "1 or more tokens, or no such field for " + strconv.Itoa(DefaultStride)},
		{"batch_tokens", e.BatchTokens == 0, "1 or more tokens"},
	} {
		switch {
		case !f.zero || !e.place.file.Has("detectors", e.place.item, f.name):
		case e.Kind != "onnx":
			return e.unused(f.name, "0")
		default:
			return wrong(f.name, "0", f.expected)
		}
	}
	return nil
}

// idleSeeds returns the mistake of seeds that change nothing, so that their runs would be taken for several.
func (e *Entry) idleSeeds() *mistake {
	used := strings.Contains(e.Model, "{seed}")
	where := "in the path of model"
	if e.Kind == "process" {
		used = used || e.Process != nil && slices.ContainsFunc(e.Process.Command, func(arg string) bool {
			return strings.Contains(arg, "{seed}")
		})
		where = "in process.command or in the path of model"
	}
	if len(e.Seeds) == 0 || used || e.Kind != "onnx" && e.Kind != "process" {
		return nil
	}
	return wrong("seeds", strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Seeds), " ", ", "), "[]"),
		"{seed} "+where+", or no seeds: each would be the same model")
}

func wrong(field, found, expected string) *mistake {
	return &mistake{[]any{field}, field, found, expected}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
