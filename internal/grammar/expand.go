package grammar

import (
	"fmt"
	"math/big"

	"pidsbench/internal/authored"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

// Text is one expansion of a frame.
type Text struct {
	Text  string
	Frame string
	authored.Description
	Encoded []Coded // the encoded parts, in the order of the text
}

// Coded is an encoded part of a text: the text holds Code, which the scheme decodes to Plain.
type Coded struct{ Scheme, Plain, Code string }

// Expand returns n different texts of every frame, frame by frame. Choices are drawn by seed and frame id, so a change
// in one frame leaves the texts of the others as they are, and of every choice each alternative comes up once (or as
// often as its weight says) before any comes up again, as long as no two choices make the same text. The first texts
// for a smaller n are the same. A frame with fewer than n texts is an error that names how many it has.
func Expand(f *File, n int, seed int64) ([]Text, error) {
	var out []Text
	for _, frame := range f.Frames {
		texts, err := frame.Expand(n, seed)
		if err != nil {
			return nil, err
		}
		out = append(out, texts...)
	}
	return out, nil
}

// enumerable is the largest number of ways in which the choices of a frame are gone through one by one.
const enumerable = 20_000

// Expand returns n different texts of the frame; see the function of that name.
func (f *Frame) Expand(n int, seed int64) ([]Text, error) {
	total := f.Count()
	if total.Cmp(big.NewInt(int64(n))) < 0 {
		return nil, f.few(n, total.String())
	}
	seen := map[string]bool{}
	var out []Text
	balanced := &rounds{seed: seed, stage: "grammar/" + f.ID, visits: map[string]int{}, order: map[string][]int{}}
	take := func(t Text) {
		if !seen[t.Text] {
			seen[t.Text] = true
			out = append(out, t)
		}
	}
	few := total.Cmp(big.NewInt(enumerable)) <= 0 // then all of them can be gone through
	most := 1000
	if few {
		most = 50
	}
	for misses := 0; len(out) < n && misses < most; misses++ { // in a row
		before := len(out)
		t, err := f.derive(balanced)
		if err != nil {
			return nil, err
		}
		if take(t); len(out) > before {
			misses = -1
		}
	}
	if len(out) == n {
		return out, nil
	}
	if !few {
		return nil, f.few(n, fmt.Sprintf("%d that were found among %s ways to choose", len(out), total))
	}
	all, err := f.all()
	if err != nil {
		return nil, err
	}
	draw.Order(all, seed, "grammar/"+f.ID, func(t Text) string { return t.Text })
	for _, t := range all {
		if len(out) < n {
			take(t)
		}
	}
	if len(out) < n {
		return nil, f.few(n, fmt.Sprint(len(out)))
	}
	return out, nil
}

func (f *Frame) few(n int, has string) error {
	return fault.New(fault.Integrity, "%s:%d: frame %s gives %s different texts, expected at least %d", fault.Name(f.file),
		f.Line, f.ID, has, n).WithCure("give it more alternatives or values, or ask for fewer texts")
}

// all derives every text, equal ones too.
func (f *Frame) all() ([]Text, error) {
	var out []Text
	for every := (&odometer{}); ; {
		every.at = 0
		t, err := f.derive(every)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		if !every.next() {
			return out, nil
		}
	}
}

// chooser takes one of several options.
type chooser interface {
	// choose returns the place of an option that is not taken. The point names the choice within its frame.
	choose(point string, weights []int, taken map[int]bool) int
}

// rounds takes the options of each point in rounds: in each round all of them, in an order of its own.
type rounds struct {
	seed   int64
	stage  string
	visits map[string]int
	order  map[string][]int // of the round a point is in
}

func (r *rounds) choose(point string, weights []int, taken map[int]bool) int {
	for {
		total := 0
		for _, w := range weights {
			total += w
		}
		visit := r.visits[point]
		r.visits[point]++
		if visit%total == 0 {
			var order []int
			for i, w := range weights {
				for range w {
					order = append(order, i)
				}
			}
			type slot struct{ option, copy int }
			slots := make([]slot, total)
			copies := map[int]int{}
			for i, o := range order {
				slots[i] = slot{o, copies[o]}
				copies[o]++
			}
			stage := fmt.Sprintf("%s/%s/%d", r.stage, point, visit/total)
			draw.Order(slots, r.seed, stage, func(s slot) string { return fmt.Sprintf("%d.%d", s.option, s.copy) })
			for i, s := range slots {
				order[i] = s.option
			}
			r.order[point] = order
		}
		if o := r.order[point][visit%total]; !taken[o] {
			return o
		}
	}
}

// odometer goes through all ways to choose: the last choice moves fastest.
type odometer struct {
	digits []int
	sizes  []int
	at     int
}

func (o *odometer) choose(_ string, weights []int, taken map[int]bool) int {
	if o.at == len(o.digits) {
		o.digits = append(o.digits, 0)
		o.sizes = append(o.sizes, 0)
	}
	o.sizes[o.at] = len(weights) - len(taken)
	want := o.digits[o.at]
	o.at++
	for i := range weights {
		if taken[i] {
			continue
		}
		if want == 0 {
			return i
		}
		want--
	}
	panic("more is asked for than there is to choose from")
}

func (o *odometer) next() bool {
	for i := o.at - 1; i >= 0; i-- {
		if o.digits[i]+1 < o.sizes[i] {
			o.digits[i]++
			o.digits, o.sizes = o.digits[:i+1], o.sizes[:i+1]
			return true
		}
	}
	return false
}
