package probe

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/textnorm"
)

const (
	// repeats is the number of word sets of each kind.
	repeats = 5
	// Words of the placebo occur in this share of the benign train rows, so that a set takes many words, as the list does.
	placeboLeast, placeboMost = 0.001, 0.02
	// attackRatio is how much more frequent an attack word is in injections than in benign rows, at least.
	attackRatio = 1.5
)

// placebo holds benign rows out by words that have nothing to do with security. What a detector then does on them is
// the part of its hard-benign FPR that comes from unseen words alone.
func (p *prober) placebo() ([]Row, []string, error) {
	if p.data.Words == nil {
		return nil, nil, because("there is no list of security-adjacent words")
	}
	base, err := p.base()
	if err != nil {
		return nil, nil, err
	}
	index := p.placeboWords()
	target, aim := index.benign/10, "a tenth of the benign train rows"
	if n := len(p.hard); n > 0 {
		target = min(n, index.benign/4)
		aim = "as many as there are hard-benign rows, at most a quarter of the benign train rows"
	}
	var out []Row
	if len(p.hard) > 0 {
		out = append(out, Row{"hard-benign rows", base.rows, []Number{base.fpr(heldOut, p.hard)}})
	}
	out = append(out, Row{"benign test rows", base.rows, []Number{base.fpr(heldOut, p.test)}})
	notes := []string{
		fmt.Sprintf("Words of %g to %g %% of the benign train rows, none of them in the list of security-adjacent words, "+
			"are drawn at random; the rows that hold one leave train with their families.", 100*placeboLeast, 100*placeboMost),
		fmt.Sprintf("Rows held out: %s, and at most half of those that hold any such word.", aim),
		fmt.Sprintf("Attack words are %g times as frequent in injections as in benign rows, or more.", attackRatio),
	}
	for _, kind := range []struct {
		name  string
		words []string
	}{{"random words", index.words}, {"attack words", index.attack}} {
		all, _ := index.hold(kind.words, len(p.train))
		n := min(target, len(all)/2)
		if n == 0 {
			notes = append(notes, fmt.Sprintf("n/a: %s: there are %d such words in %d benign rows.", kind.name, len(kind.words),
				len(all)))
			continue
		}
		rows, err := p.repeat(kind.name, kind.words, index, n)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, rows...)
	}
	return out, notes, nil
}

const heldOut = "held out"

// repeat holds rows out by several draws of words and adds their mean.
func (p *prober) repeat(kind string, words []string, index placeboIndex, target int) ([]Row, error) {
	var out []Row
	var rates []float64
	for k := 1; k <= repeats; k++ {
		name := kind + " " + strconv.Itoa(k)
		chosen := slices.Clone(words)
		draw.Order(chosen, p.data.Seed, "probe placebo "+name, func(s string) string { return s })
		held, n := index.hold(chosen, target)
		heldRows := make([]row, len(held))
		for i, at := range held {
			heldRows[i] = p.train[at]
		}
		m, err := p.fit("placebo: "+name, without(p.train, heldRows), isInjection)
		if err != nil {
			return nil, err
		}
		fpr := m.fpr(heldOut, heldRows)
		rates = append(rates, fpr.V)
		out = append(out, Row{name, m.rows, []Number{fpr, count("words", n), count("families", len(families(heldRows)))}})
	}
	mean, sd := meanSD(rates)
	return append(out, Row{kind + ", mean", 0, []Number{number(heldOut, "fpr", defined(mean), 0),
		number(heldOut, "sd", defined(sd), 0)}}), nil
}

// meanSD returns the mean and the standard deviation of a sample of two or more.
func meanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}

// placeboIndex says which benign train rows hold which of the words that may be drawn.
type placeboIndex struct {
	benign        int
	words, attack []string // rising; attack is a part of words
	rows          map[string][]int
}

// hold adds words in order until the benign rows that hold one of them reach target, and returns these rows, rising,
// and the number of words.
func (x placeboIndex) hold(words []string, target int) (rows []int, n int) {
	held := map[int]bool{}
	for _, w := range words {
		if len(held) >= target {
			break
		}
		n++
		for _, i := range x.rows[w] {
			held[i] = true
		}
	}
	for i := range held { // sorted below
		rows = append(rows, i)
	}
	slices.Sort(rows)
	return rows, n
}

func (p *prober) placeboWords() placeboIndex {
	x := placeboIndex{rows: map[string][]int{}}
	attacks := map[string]int{}
	injections := 0
	for i, r := range p.train {
		words := wordsOf(r.text)
		if r.label == dataset.Injection {
			injections++
			for _, w := range words {
				attacks[w]++
			}
			continue
		}
		x.benign++
		for _, w := range words {
			x.rows[w] = append(x.rows[w], i)
		}
	}
	for w, rows := range x.rows { // sorted below
		share := float64(len(rows)) / float64(x.benign)
		if share < placeboLeast || share > placeboMost {
			continue
		}
		if _, listed := p.data.Words.Match(w); listed {
			continue
		}
		x.words = append(x.words, w)
		if injections > 0 && float64(attacks[w])/float64(injections) >= attackRatio*share {
			x.attack = append(x.attack, w)
		}
	}
	slices.Sort(x.words)
	slices.Sort(x.attack)
	return x
}

// wordsOf returns the distinct words of a text, rising: runs of letters and digits of its exact form, as the list of
// security-adjacent words cuts texts, without those that hold no letter or a single character.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(textnorm.Exact(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	words = slices.DeleteFunc(words, func(w string) bool {
		return strings.IndexFunc(w, unicode.IsLetter) < 0 || len([]rune(w)) < 2
	})
	slices.Sort(words)
	return slices.Compact(words)
}
