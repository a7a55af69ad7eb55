// Package chat scores texts by asking a language model behind a server that speaks the OpenAI chat protocol: a general
// model with an instruction, or a guard model that needs none. An answer that cannot be read is an error, never a class.
package chat

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"pidsbench/internal/completion"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// mostLost is how many texts in a row may find no working server before the run stops.
const mostLost = 10

// Detector asks the server of one entry. Its methods are safe for concurrent use.
type Detector struct {
	info   detect.Info
	c      detect.Chat
	seed   int
	client *completion.Client
	slots  chan struct{} // one for each request that may be on its way
	pause  time.Duration // before the first repetition
	lost   atomic.Int64  // texts in a row that found no working server
	used   usage
}

// Describe returns what is known of the detector without asking the server.
func Describe(e detect.Entry, seed int) detect.Info {
	return detect.Info{ID: e.ID, DisplayName: cmp.Or(e.Name, e.ID), Kind: e.Kind, Seed: seed, ConfigHash: e.Hash(),
		Runtime: "chat completions over HTTP"}
}

// Open returns the detector of a checked entry. Nothing is sent yet. A key that the environment lacks is an error of
// kind Incomplete.
func Open(e detect.Entry, seed int, getenv func(string) string) (*Detector, error) {
	c := *e.Chat
	c.Timeout, c.Tries, c.InFlight = cmp.Or(c.Timeout, 60), cmp.Or(c.Tries, 6), cmp.Or(c.InFlight, 4)
	d := &Detector{info: Describe(e, seed), c: c, seed: seed, pause: time.Second, slots: make(chan struct{}, c.InFlight)}
	key := "" // sent to the server alone; in no message and no file
	if name := c.APIKeyEnv; name != "" {
		key = strings.TrimSpace(getenv(name))
		switch {
		case key == "":
			return nil, fault.New(fault.Incomplete, "the environment variable %s, which holds its key, is not set", name).
				WithCure("set it")
		case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, fault.New(fault.Incomplete, "the environment variable %s holds no key: spaces or other signs stand in it",
				name).WithCure("set it to the key alone")
		}
	}
	d.client = completion.New(c.URL, key, time.Duration(c.Timeout)*time.Second, c.InFlight)
	d.used = usage{c: &d.c, clean: d.client.WithoutKey}
	return d, nil
}

// Info describes the detector.
func (d *Detector) Info() detect.Info { return d.info }

// Concurrency returns how many requests may be on their way at once.
func (d *Detector) Concurrency() int { return d.c.InFlight }

// Close ends the connections that are open and idle.
func (d *Detector) Close() error {
	d.client.Close()
	return nil
}

// Report returns lines for people about what was asked: requests, tokens and cost; what scores rest on; what the server
// says of itself where it differs from the entry.
func (d *Detector) Report() []string { return d.used.report() }

// Served returns what the server said of itself, each once, in the answers that gave scores since the last call.
func (d *Detector) Served() []Server {
	d.used.mu.Lock()
	defer d.used.mu.Unlock()
	served := d.used.served
	d.used.served = nil
	return served
}

// Ready sends a short harmless text to see whether the server answers. It fails with kind Incomplete when no text could
// be scored: no server, a wrong key or model, a request that it does not take.
func (d *Detector) Ready(ctx context.Context) error {
	body, cost := d.request("Hello.")
	if !d.used.reserve(cost) {
		return d.overBudget(cost)
	}
	_, f := d.exchange(ctx, body, cost)
	switch {
	case f == nil || f.Kind == completion.Withheld || f.Status == http.StatusTooManyRequests && f.Kind == completion.Passing:
		return nil
	case f.Kind == completion.Ended:
		return fault.New(fault.Interrupted, "interrupted before the server at %s answered: %w", fault.Name(d.c.Host()),
			ctx.Err())
	}
	return d.explain(f, fault.Incomplete)
}

// Score asks about one text. Its error is a *detect.StopError when no other text would fare better.
func (d *Detector) Score(ctx context.Context, text string) (float64, error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	r, err := d.ask(ctx, text)
	if err != nil {
		return 0, err
	}
	score, sure, err := d.read(r)
	d.used.answer(r, sure, err)
	if err != nil {
		return 0, err
	}
	return score, nil
}

// overBudget is the error for a request that the budget may not cover.
func (d *Detector) overBudget(cost float64) error {
	return fault.New(fault.Failed, "the budget of $%g does not cover the next request: $%.4f are spent, and it may cost "+
		"$%.4f", d.c.Budget, d.used.sum(), cost).WithCure("raise budget in the entry and run the same command to go on")
}

// explain makes a sentence for people of a failure that concerns every text.
func (d *Detector) explain(f *completion.Failure, kind fault.Kind) *fault.Error {
	said := ""
	if f.Words != "" {
		said = ": " + fault.Line(f.Words)
	}
	return fault.New(kind, "the server at %s %s%s", fault.Name(d.c.Host()), f.What, said).WithCure("%s", d.cure(f))
}

// cure says how to mend a failure that concerns every text.
func (d *Detector) cure(f *completion.Failure) string {
	switch status := f.Status; {
	case f.Address != "":
		return "correct url in the entry: " + f.Address
	case f.Untrusted():
		return "add its authority to those of this machine"
	case status == 0:
		return "start it, or correct url in the entry"
	case f.Kind == completion.Garbled:
		return "check url in the entry"
	case status < 400:
		return "give that address as url in the entry, where you trust it"
	case status == http.StatusPaymentRequired || status == http.StatusTooManyRequests:
		return "check the account's credit and limits, and run the same command to go on"
	case status == http.StatusNotFound:
		return "check url and model in the entry: the model may have another name there"
	case status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented:
		return "correct url in the entry: no chat completions are served there"
	case status >= 500:
		return "run the same command again when it works"
	case status != http.StatusUnauthorized && status != http.StatusForbidden:
		return "change the request: the entry's field request adds fields to it and takes out ours"
	case d.c.APIKeyEnv == "":
		return "name the environment variable that holds its key as api_key_env in the entry"
	}
	return "check the key in " + d.c.APIKeyEnv + " and what it may be used for"
}
