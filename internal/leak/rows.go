package leak

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"pidsbench/internal/textnorm"
)

// rows are the rows of all files in one sequence.
type rows struct {
	files    []File
	options  Options
	first    []int    // of each file in the sequence, and the end
	file     []int32  // of each row
	text     []int32  // number of each row's text among the distinct ones, -1 for a withheld text
	distinct []string // the distinct texts, in the order of their first rows
	plain    []int32  // number of each distinct text's plain form among the distinct ones
	plains   []string // the distinct plain forms
	carrier  []int32  // number of each row's carrier, -1 for none
	carriers bool     // any row has one
}

func newRows(files []File, opt Options) *rows {
	m := &rows{files: files, options: opt, first: []int{0}}
	var texts []string
	for i, f := range files {
		for range f.Texts {
			m.file = append(m.file, int32(i))
		}
		texts = append(texts, f.Texts...)
		m.first = append(m.first, len(texts))
	}
	m.text, m.distinct = number(texts)
	// A form may be empty, which is no reason to have no number.
	m.plain, m.plains = number(mapTexts(m.distinct, func(t string) string { return "=" + textnorm.Plain(t) }))
	for i, p := range m.plains {
		m.plains[i] = p[1:]
	}
	m.carrier = m.byColumn(Carrier.Column())
	m.carriers = slices.Max(append(m.carrier, -1)) >= 0
	return m
}

// number gives equal keys equal numbers, counted from 0 in the order of their first places; an empty key gets -1. It
// returns the distinct keys too.
func number(keys []string) (numbers []int32, distinct []string) {
	numbers = make([]int32, len(keys))
	ids := make(map[string]int32, len(keys))
	for i, k := range keys {
		id, ok := ids[k]
		switch {
		case k == "":
			id = -1
		case !ok:
			id = int32(len(distinct))
			ids[k] = id
			distinct = append(distinct, k)
		}
		numbers[i] = id
	}
	return numbers, distinct
}

// byColumn numbers the rows by a column; those of files without it get -1.
func (m *rows) byColumn(name string) []int32 {
	keys := make([]string, 0, len(m.file))
	for _, f := range m.files {
		v, ok := f.Columns[name]
		if !ok {
			v = make([]string, len(f.Texts))
		}
		keys = append(keys, v...)
	}
	numbers, _ := number(keys)
	return numbers
}

// refine numbers the distinct texts by a form that is finer than the given numbering: texts with another number have
// another form. So the form is worked out only for those that share their number.
func (m *rows) refine(coarse []int32, form func(string) string) []int32 {
	members := make([]int, len(m.distinct))
	for _, c := range coarse {
		members[c]++
	}
	var texts []string
	for t, c := range coarse {
		if members[c] > 1 {
			texts = append(texts, m.distinct[t])
		}
	}
	forms := mapTexts(texts, form)
	keys := make([]string, len(coarse))
	for t, c := range coarse {
		// The number of the coarse form keeps texts apart that have no form of their own.
		keys[t] = strconv.Itoa(int(c))
		if members[c] > 1 {
			keys[t] += "=" + forms[0]
			forms = forms[1:]
		}
	}
	numbers, _ := number(keys)
	return numbers
}

// ofRows turns numbers of the distinct texts into numbers of the rows; those of withheld texts are -1.
func (m *rows) ofRows(ofTexts []int32) []int32 {
	numbers := make([]int32, len(m.text))
	for i, t := range m.text {
		if numbers[i] = -1; t >= 0 {
			numbers[i] = ofTexts[t]
		}
	}
	return numbers
}

// mapTexts applies a pure function to every text, on all processors.
func mapTexts(texts []string, f func(string) string) []string {
	const block = 256
	out := make([]string, len(texts))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for from := int(next.Add(block)) - block; from < len(texts); from = int(next.Add(block)) - block {
				for i := from; i < min(from+block, len(texts)); i++ {
					out[i] = f(texts[i])
				}
			}
		})
	}
	wg.Wait()
	return out
}
