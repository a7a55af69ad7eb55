package paper

import (
	"regexp"
	"strconv"
	"strings"
)

// Value is a published number: as printed, with its spread over seeds or its interval where one was printed.
type Value struct {
	Text string   `json:"text"` // as people read it, with its marks
	V    float64  `json:"value"`
	SD   *float64 `json:"sd,omitempty"`
	Lo   *float64 `json:"lo,omitempty"`
	Hi   *float64 `json:"hi,omitempty"`
	Mark string   `json:"mark,omitempty"` // of a doubt that the table explains
}

var printed = regexp.MustCompile(`^(-?\d+(?:\.\d+)?)(?:±(\d+\.\d+))?(?: \[(-?\d+\.\d+), (-?\d+\.\d+)\])?([^\d\s±\[\]|]*)$`)

// parseValues reads what was published of one quantity; nothing for the empty text. Marks must be explained by doubts.
func parseValues(text string, doubts []Doubt) (values []Value, ok bool) {
	if text == "" {
		return nil, true
	}
	for part := range strings.SplitSeq(text, " | ") {
		m := printed.FindStringSubmatch(part)
		if m == nil || m[5] != "" && !explained(m[5], doubts) {
			return nil, false
		}
		v := Value{Text: part, Mark: m[5]}
		v.V, _ = strconv.ParseFloat(m[1], 64)
		v.SD, v.Lo, v.Hi = optional(m[2]), optional(m[3]), optional(m[4])
		values = append(values, v)
	}
	return values, true
}

func explained(mark string, doubts []Doubt) bool {
	for _, d := range doubts {
		if d.Mark == mark && d.Note != "" {
			return true
		}
	}
	return false
}

func optional(s string) *float64 {
	if s == "" {
		return nil
	}
	v, _ := strconv.ParseFloat(s, 64)
	return &v
}

// less returns the difference of two published numbers, nothing when one is not there or contradicted.
func less(a, b []Value) []Value {
	if len(a) != 1 || len(b) != 1 {
		return nil
	}
	v := Value{Text: strconv.FormatFloat(a[0].V-b[0].V, 'f', 4, 64)}
	v.V, _ = strconv.ParseFloat(v.Text, 64) // without what the subtraction adds behind the printed digits
	return []Value{v}
}
