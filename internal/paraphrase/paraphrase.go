// Package paraphrase rewords attacks, and harmless texts by the same rules. A provider proposes, the shared rules judge:
// what is refused, cut off, obeyed, or has lost its payload never becomes a row, and no row names a model that did not
// write it.
package paraphrase

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// maxSeed bounds the characters of a seed.
const maxSeed = 8000

// Seed is a text to reword, of at most 8,000 characters.
type Seed struct {
	ID       string
	Text     string
	Language string // as ISO 639-1; empty when it is not known
}

// Paraphrase is one accepted rewording. Round 0, the untouched text, is not among them.
type Paraphrase struct {
	SeedID         string
	Round          int // from 1
	Text           string
	GeneratorModel string // what wrote it: "rules/2", or the model's name
}

// Request asks a provider for one rewording. Another try is another request and should give another text.
type Request struct {
	Seed  Seed
	Round int // from 1
	Try   int // from 0
}

// Provider rewords texts. The same request gives the same text, from rules or from a cache. Rewrite returns ErrNone
// when it has nothing for this seed, whatever the round; a *Rejected error when this try gave no text to use; any other
// error ends the run. It is safe for concurrent use.
type Provider interface {
	Model() string
	Rewrite(ctx context.Context, r Request) (string, error)
}

// ErrNone says that a provider cannot reword a seed.
var ErrNone = errors.New("no change is possible")

// Rejected says why a try gave no text.
type Rejected struct{ Reason string }

// Error returns the reason.
func (r *Rejected) Error() string { return r.Reason }

// Options say how many rewordings are wanted.
type Options struct {
	Rounds  int    // for each seed, at least 1
	Tries   int    // for each round, at least 1
	Workers int    // seeds in work at once; below 1 stands for 1
	Done    func() // called after each seed, from several goroutines; may be nil
}

// Drop is a round that gave nothing after all its tries.
type Drop struct {
	SeedID string
	Round  int
	Reason string // of the last try
}

// Report is the outcome of a run, in the order of the seeds and then of the rounds.
type Report struct {
	Paraphrases []Paraphrase
	Dropped     []Drop
	Rejected    map[string]int // tries by the reason why they were not used
}

// Run asks the provider for the rounds of every seed and keeps what passes the checks of the rules. A try that fails is
// counted and repeated; a round whose tries all fail is dropped. The result does not depend on the number of workers.
// An error of the provider or a cancelled context ends the run.
func Run(ctx context.Context, p Provider, rules *Rules, seeds []Seed, o Options) (*Report, error) {
	if o.Rounds < 1 || o.Tries < 1 {
		return nil, fault.New(fault.Usage, "%d rounds of %d tries are asked for, expected at least one of each", o.Rounds,
			o.Tries).WithCure("ask for more")
	}
	parts := make([]Report, len(seeds))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(o.Workers, 1), len(seeds)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(seeds)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := parts[i].seed(ctx, p, rules, seeds[i], o); err != nil {
					stop(err)
					return
				}
				if o.Done != nil {
					o.Done()
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	all := &Report{Rejected: map[string]int{}}
	for _, part := range parts {
		all.Paraphrases = append(all.Paraphrases, part.Paraphrases...)
		all.Dropped = append(all.Dropped, part.Dropped...)
		for reason, n := range part.Rejected {
			all.Rejected[reason] += n
		}
	}
	return all, nil
}

// Reasons returns the reasons for which tries were not used, sorted.
func (r *Report) Reasons() []string { return slices.Sorted(maps.Keys(r.Rejected)) }

// seed does all rounds of one seed.
func (r *Report) seed(ctx context.Context, p Provider, rules *Rules, s Seed, o Options) error {
	r.Rejected = map[string]int{}
	if utf8.RuneCountInString(s.Text) > maxSeed {
		for round := 1; round <= o.Rounds; round++ {
			r.Rejected[SeedTooLong]++
			r.Dropped = append(r.Dropped, Drop{s.ID, round, SeedTooLong})
		}
		return nil
	}
	check := rules.checker(s)
	for round := 1; round <= o.Rounds; round++ {
		reason := ""
		for try := 0; try < o.Tries; try++ {
			text, err := p.Rewrite(ctx, Request{Seed: s, Round: round, Try: try})
			var rejected *Rejected
			switch {
			case errors.Is(err, ErrNone):
				reason, try = NoChange, o.Tries
			case errors.As(err, &rejected):
				reason = rejected.Reason
			case err != nil:
				return err
			default:
				reason = check.problem(text)
			}
			if reason == "" {
				check.accept(text)
				r.Paraphrases = append(r.Paraphrases,
					Paraphrase{SeedID: s.ID, Round: round, Text: text, GeneratorModel: p.Model()})
				break
			}
			r.Rejected[reason]++
		}
		if reason != "" {
			r.Dropped = append(r.Dropped, Drop{s.ID, round, reason})
		}
	}
	return nil
}
