package onnx

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// head turns the logits of one window into P(injection).
type head struct {
	sigmoid     bool
	positive    []int // classes whose probabilities are summed, ascending
	temperature float64
	veto        *veto
}

// veto is a class that clears a text of suspicion when its probability reaches a limit.
type veto struct {
	class int
	at    float64
}

// injectionNames are class names that can only mean the positive class. They are compared whole, upper-cased, with
// spaces and dashes as underscores: a part of a name decides nothing, or "MAL" would match "NORMAL".
var injectionNames = []string{
	"INJECTION", "PROMPT_INJECTION", "INJECTED", "MALICIOUS", "UNSAFE", "JAILBREAK", "ATTACK", "PROMPT_ATTACK",
}

var genericName = regexp.MustCompile(`^LABEL_[0-9]+$`)

// newHead resolves the positive classes of an entry against the class names (nil when the model has none) and the
// number of logits of the graph.
func newHead(e detect.Entry, labels []string, width int) (head, error) {
	h := head{sigmoid: e.Head == "sigmoid", temperature: e.Temperature}
	if h.temperature == 0 {
		h.temperature = 1
	}
	if len(labels) > 0 && len(labels) != width {
		return head{}, fault.New(fault.Integrity,
			"detector %q: config.json names %d classes in id2label but the graph gives %d logits", e.ID, len(labels), width).
			WithCure("fetch the model folder again or name another output")
	}
	if !h.sigmoid && width == 1 {
		return head{}, fault.New(fault.Usage, "%s says softmax, as it does when left out, but the graph gives one logit, of "+
			"which a softmax is always 1", e.Where("head")).WithCure("write `head: sigmoid`")
	}
	if len(e.Positive) == 0 {
		i, err := findInjection(labels)
		if err != nil {
			return head{}, fault.New(fault.Usage, "%s is missing, and %w", e.Where("positive"), err).
				WithCure("add `positive:` with class names or indices to the entry")
		}
		h.positive = []int{i}
	}
	for _, p := range e.Positive {
		i, err := classOf(e, "positive", p, labels, width)
		if err != nil {
			return head{}, err
		}
		if slices.Contains(h.positive, i) {
			return head{}, fault.New(fault.Usage, "%s names class %d twice", e.Where("positive"), i).
				WithCure("remove one of them")
		}
		h.positive = append(h.positive, i)
	}
	slices.Sort(h.positive)
	if !h.sigmoid && len(h.positive) == width {
		return head{}, fault.New(fault.Usage, "%s names all %d classes, and field head says softmax, as it does when left "+
			"out: their probabilities always add up to 1", e.Where("positive"), width).WithCure(
			"leave the harmless classes out of `positive`, or write `head: sigmoid` where each logit is a probability of its own")
	}
	if e.Veto == nil {
		return h, nil
	}
	i, err := classOf(e, "veto", e.Veto.Class, labels, width)
	if err != nil {
		return head{}, err
	}
	if slices.Contains(h.positive, i) {
		return head{}, fault.New(fault.Usage, "%s: veto.class is class %d, which is positive as well", e.Where("veto"), i).
			WithCure("correct it")
	}
	h.veto = &veto{i, e.Veto.At}
	return h, nil
}

// classOf returns the class that a field of the entry names, by its name or its index.
func classOf(e detect.Entry, field, name string, labels []string, width int) (int, error) {
	if i := slices.Index(labels, name); i >= 0 {
		return i, nil
	}
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || n >= width || strconv.Itoa(n) != name {
		return 0, fault.New(fault.Usage, "%s names the class %s, expected %s", e.Where(field), short(name),
			choices(labels, width)).WithCure("correct it")
	}
	return n, nil
}

func findInjection(labels []string) (int, error) {
	if len(labels) == 0 {
		return 0, fmt.Errorf("config.json names no classes (id2label), so the injection class is unknown")
	}
	found := -1
	for i, name := range labels {
		upper := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(name))
		if !slices.Contains(injectionNames, upper) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("config.json has two classes that could mean injection, %s and %s",
				short(labels[found]), short(name))
		}
		found = i
	}
	if found >= 0 {
		return found, nil
	}
	if slices.ContainsFunc(labels, genericName.MatchString) {
		return 0, fmt.Errorf("config.json has only generic class names such as %s, so the injection class is unknown",
			short(labels[0]))
	}
	return 0, fmt.Errorf("none of the class names %s in config.json is known to mean injection",
		choices(labels, len(labels)))
}

func choices(labels []string, width int) string {
	if len(labels) == 0 {
		return fmt.Sprintf("an index from 0 to %d, since no names of classes are known", width-1)
	}
	quoted := make([]string, 0, 8)
	for i, l := range labels {
		if i == 8 {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, short(l))
	}
	return strings.Join(quoted, ", ")
}

// score returns P(injection) in [0,1] of one row of logits z, computed in float64: for a softmax head the sum over the
// positive classes of exp(z_c/T) / Σ_k exp(z_k/T), for a sigmoid head the sum of 1/(1+exp(-z_c/T)), capped at 1; 0 when
// the probability of the veto's class, by the same formula, reaches its limit. It is NaN when any logit is NaN or
// infinite.
func (h head) score(logits []float32) float64 {
	for _, z := range logits {
		if x := float64(z); math.IsNaN(x) || math.IsInf(x, 0) {
			return math.NaN()
		}
	}
	if h.veto != nil && h.probability(logits, h.veto.class) >= h.veto.at {
		return 0
	}
	return h.probability(logits, h.positive...)
}

// probability returns the sum of the classes' probabilities, at most 1.
func (h head) probability(logits []float32, classes ...int) float64 {
	var sum, total float64
	if h.sigmoid {
		for _, c := range classes {
			sum += sigmoid(float64(logits[c]) / h.temperature)
		}
		return min(sum, 1)
	}
	top := math.Inf(-1)
	for _, z := range logits {
		top = max(top, float64(z)/h.temperature)
	}
	for _, z := range logits {
		total += math.Exp(float64(z)/h.temperature - top)
	}
	for _, c := range classes {
		sum += math.Exp(float64(logits[c])/h.temperature - top)
	}
	return min(sum/total, 1)
}

func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

// short quotes a string from outside for a message, cut to 40 characters.
func short(s string) string {
	r := []rune(s)
	if len(r) > 40 {
		return strconv.Quote(string(r[:40])) + "…"
	}
	return strconv.Quote(s)
}
