package chat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"pidsbench/internal/completion"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// usage counts what a run asked for and what it cost.
type usage struct {
	c     *detect.Chat
	clean func(string) string

	mu             sync.Mutex
	requests       int
	repeated       int
	input, output  int64   // tokens, as the server counts them
	uncounted      int     // requests whose tokens it did not tell
	spent          float64 // dollars; uncounted requests at the most they may have cost
	reserved       float64 // dollars, for requests on their way
	answers        int     // that were read
	hard           int     // of them without probabilities
	models, prints map[string]bool
	served         []Server // that gave scores since they were last asked for
	example        string   // of what could not be used
}

// Server is what the server says of itself in an answer.
type Server struct{ Model, Fingerprint string }

// price returns dollars.
func (u *usage) price(input, output int64) float64 {
	return (float64(input)*u.c.InputPrice + float64(output)*u.c.OutputPrice) / 1e6
}

// reserve sets money aside for a request. It reports false when the budget might be passed.
func (u *usage) reserve(cost float64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.c.Budget > 0 && u.spent+u.reserved+cost > u.c.Budget {
		return false
	}
	u.reserved += cost
	u.requests++
	return true
}

// settle puts what a request did cost in the place of what was set aside.
func (u *usage) settle(r *completion.Reply, cost float64, billed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.reserved -= cost
	switch {
	case r != nil && r.Usage != nil:
		in, out := bounded(r.Usage.Input), bounded(r.Usage.Output)
		u.input, u.output = u.input+in, u.output+out
		u.spent += u.price(in, out)
	case billed:
		u.uncounted++
		u.spent += cost
	}
}

// bounded keeps a server's own count in a range that adds up.
func bounded(n int64) int64 { return min(max(n, 0), 1e9) }

func (u *usage) sum() float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.spent
}

func (u *usage) again() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.repeated++
}

// answer counts an answer and what it says of its maker.
func (u *usage) answer(r *completion.Reply, sure bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.models == nil {
		u.models, u.prints = map[string]bool{}, map[string]bool{}
	}
	const most = 100
	if r.Model != "" && len(u.models) < most {
		u.models[fault.Quote(u.clean(r.Model))] = true
	}
	if r.Fingerprint != "" && len(u.prints) < most {
		u.prints[fault.Quote(u.clean(r.Fingerprint))] = true
	}
	switch content := r.Choices[0].Message.Content; {
	case err == nil:
		if s := (Server{fault.Line(u.clean(r.Model)), fault.Line(u.clean(r.Fingerprint))}); !slices.Contains(u.served, s) &&
			s != (Server{}) && len(u.served) < most {
			u.served = append(u.served, s)
		}
		u.answers++
		if !sure {
			u.hard++
		}
	case u.example == "" && content != "":
		u.example = "an answer that could not be read: " + fault.Quote(u.clean(content))
	}
}

// failed keeps the server's words about one text, for people.
func (u *usage) failed(f *completion.Failure) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.example == "" && f.Words != "" {
		u.example = "the server " + f.What + ": " + fault.Line(f.Words)
	}
}

func (u *usage) report() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	line := fmt.Sprintf("%d requests", u.requests)
	if u.repeated > 0 {
		line += fmt.Sprintf(" (%d of them repetitions)", u.repeated)
	}
	line += fmt.Sprintf(", %d tokens in, %d out", u.input, u.output)
	if u.uncounted > 0 {
		line += fmt.Sprintf(" (%d requests without a count)", u.uncounted)
	}
	if u.c.InputPrice+u.c.OutputPrice > 0 {
		most := ""
		if u.uncounted > 0 {
			most = "at most "
		}
		line += fmt.Sprintf(", cost %s$%.4f", most, u.spent)
		if u.c.Budget > 0 {
			line += fmt.Sprintf(" of $%g", u.c.Budget)
		}
	}
	lines := []string{line}
	if u.hard > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d answers came without usable log-probabilities: their scores are 0 or 1",
			u.hard, u.answers))
	}
	if asked := fault.Quote(u.c.Model); len(u.models) > 1 || len(u.models) == 1 && !u.models[asked] {
		names := slices.Sorted(maps.Keys(u.models))
		lines = append(lines, "asked for model "+asked+", answered by "+strings.Join(names[:min(3, len(names))], ", "))
	}
	if n := len(u.prints); n > 1 {
		lines = append(lines, fmt.Sprintf("the server changed during the run: it gave %d system fingerprints", n))
	}
	if u.example != "" {
		lines = append(lines, u.example)
	}
	return lines
}
