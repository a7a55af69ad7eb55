package detect

import (
	"cmp"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// mistake is a field that holds what it must not.
type mistake struct {
	path            []any // of the field in the entry
	field           string
	found, expected string
}

func (e *Entry) mistake() *mistake {
	return cmp.Or(e.wrongNames(), e.wrongPaths(), e.wrongNumbers(), e.wrongProcess(), e.wrongChat())
}

var (
	idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)
	kinds     = []string{"onnx", "rule", "tfidf", "constant", "process", "chat"}
	rules     = []string{"block", "allow", "random", "length"}
)

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
		{"special_tokens_in_text", e.SpecialTokensInText, []string{"literal", "special"}},
	} {
		if f.found != "" && !slices.Contains(f.allowed, f.found) {
			return wrong(f.name, fault.Quote(f.found), strings.Join(f.allowed, " or "))
		}
	}
	if _, ok := padLengths(e.Pad); !ok {
		return wrong("pad", fault.Quote(e.Pad), "batch, none, to:N or buckets:[N,N] with ascending numbers of tokens")
	}
	switch {
	case e.Veto != nil && e.Kind != "onnx":
		return wrong("veto", fault.Quote(e.Veto.Class), "none for the kind "+e.Kind)
	case e.Veto != nil && e.Veto.Class == "":
		return &mistake{[]any{"veto"}, "veto.class", fault.Quote(""), "a class name or index"}
	case e.Augment != "" && e.Kind != "tfidf":
		return wrong("augment", fault.Quote(e.Augment), "none for the kind "+e.Kind)
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
	if !(e.Temperature >= 0 && e.Temperature <= 1000) {
		return wrong("temperature", number(e.Temperature), "more than 0, at most 1000")
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
			return wrong(f.name, strconv.Itoa(f.found), "0 to "+strconv.Itoa(f.most)+" tokens")
		}
	}
	return nil
}

func wrong(field, found, expected string) *mistake {
	return &mistake{[]any{field}, field, found, expected}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
