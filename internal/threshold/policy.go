// Package threshold chooses the threshold τ of a detector from validation scores alone.
package threshold

import (
	"regexp"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// Kind is the way a policy chooses τ.
type Kind string

// The kinds of policies.
const (
	Fixed  Kind = "fixed"   // a given τ
	ValF1  Kind = "val_f1"  // the τ of the grid with the highest F1 on val
	ValFPR Kind = "val_fpr" // the smallest τ whose FPR on val keeps a limit
	Native Kind = "native"  // the detector's own τ
)

// Policy says how τ is chosen. Policies are comparable; Parse makes them.
type Policy struct {
	Kind  Kind
	Value float64 // Fixed: τ in [0,1]; ValFPR: the largest FPR allowed on val, in [0,1]
	High  bool    // ValF1: of the thresholds that tie, take the highest instead of the lowest
}

var number = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$`)

// Parse reads a policy: fixed:T and val_fpr:X with a decimal number in [0,1], val_f1, val_f1:high, native. Anything
// else is a usage error that lists these.
func Parse(s string) (Policy, error) {
	name, arg, hasArg := strings.Cut(s, ":")
	switch kind := Kind(name); kind {
	case Fixed, ValFPR:
		v, err := strconv.ParseFloat(arg, 64)
		if !number.MatchString(arg) || err != nil || v > 1 {
			return Policy{}, bad(s, "expected %s:X with a number X from 0 to 1", name)
		}
		return Policy{Kind: kind, Value: v}, nil
	case ValF1:
		if hasArg && arg != "high" {
			return Policy{}, bad(s, "expected val_f1 or val_f1:high")
		}
		return Policy{Kind: kind, High: hasArg}, nil
	case Native:
		if hasArg {
			return Policy{}, bad(s, "expected native without a value")
		}
		return Policy{Kind: kind}, nil
	}
	return Policy{}, bad(s, "expected fixed:T, val_f1, val_f1:high, val_fpr:X or native")
}

func bad(s, format string, args ...any) error {
	return fault.New(fault.Usage, "threshold policy is %s, "+format, append([]any{fault.Quote(s)}, args...)...).
		WithCure("use one of fixed:T, val_f1, val_f1:high, val_fpr:X, native, for example --threshold val_fpr:0.01")
}

// String returns the policy in the form that Parse reads back to the same policy.
func (p Policy) String() string {
	switch {
	case p.Kind == Fixed || p.Kind == ValFPR:
		return string(p.Kind) + ":" + strconv.FormatFloat(p.Value, 'g', -1, 64)
	case p.High:
		return string(p.Kind) + ":high"
	}
	return string(p.Kind)
}

// NeedsVal says whether the policy chooses τ from validation scores.
func (p Policy) NeedsVal() bool { return p.Kind == ValF1 || p.Kind == ValFPR }
