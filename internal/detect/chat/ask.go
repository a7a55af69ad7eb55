package chat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"pidsbench/internal/completion"
	"pidsbench/internal/detect"
	"pidsbench/internal/fault"
)

// longestWait bounds the time before a repetition: a server that asks for more gets the text another day.
const longestWait = 10 * time.Minute

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// request returns the body of the request for a text and the most that it may cost, in dollars: a token is one byte of
// the body at least, and what the server's template adds is allowed for.
func (d *Detector) request(text string) (body []byte, cost float64) {
	const template = 64
	messages := []message{{"user", text}}
	if d.c.Instruction != "" {
		messages = []message{{"system", d.c.Instruction}, {"user", text}}
	}
	fields := map[string]any{"model": d.c.Model, "messages": messages, "temperature": 0, "max_tokens": d.c.MaxTokens,
		"seed": d.seed}
	if d.c.TopLogprobs > 0 {
		fields["logprobs"], fields["top_logprobs"] = true, d.c.TopLogprobs
	}
	maps.Copy(fields, d.c.Request)
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(fields); err != nil { // the entry was checked to marshal
		panic(err)
	}
	most := int64(d.c.MaxTokens)
	if n, ok := fields["max_completion_tokens"].(uint64); ok { // what some models want in its place
		most = int64(min(n, 1e9))
	}
	return b.Bytes(), d.used.price(int64(b.Len()+template), most)
}

// exchange sends a request once, for which cost was reserved, and settles what it did cost.
func (d *Detector) exchange(ctx context.Context, body []byte, cost float64) (*completion.Reply, *completion.Failure) {
	r, f, billed := d.client.Send(ctx, body)
	d.used.settle(r, cost, billed)
	return r, f
}

// asRow is a failure as the error of a row: without the server's own words, which may repeat the text.
func asRow(f *completion.Failure) error {
	if f.Kind == completion.Withheld {
		return errors.New("a content filter withheld the answer")
	}
	return errors.New("the server " + f.What)
}

// ask returns the answer to a text, asking again after what may pass. A failure is the row's error, or ends the run.
func (d *Detector) ask(ctx context.Context, text string) (*completion.Reply, error) {
	body, cost := d.request(text)
	var f *completion.Failure
	n := 1
	for ; ; n++ {
		if !d.used.reserve(cost) {
			return nil, &detect.StopError{Err: d.overBudget(cost)}
		}
		var r *completion.Reply
		if r, f = d.exchange(ctx, body, cost); f == nil {
			d.lost.Store(0)
			return r, nil
		}
		if f.Kind != completion.Passing || n == d.c.Tries || f.After > longestWait {
			break
		}
		d.used.again()
		timer := time.NewTimer(max(backoff(d.pause, text, n), f.After))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
	switch f.Kind {
	case completion.Ended:
		return nil, ctx.Err()
	case completion.Lasting:
		return nil, &detect.StopError{Err: d.explain(f, fault.Failed)}
	case completion.Passing, completion.Garbled:
		if lost := d.lost.Add(1); lost >= mostLost {
			err := d.explain(f, fault.Failed)
			err.Msg = fmt.Sprintf("%d texts in a row had no answer; %s", lost, err.Msg)
			return nil, &detect.StopError{Err: err.WithCure("run the same command to go on when it works")}
		}
	default:
		d.lost.Store(0) // it works, though not for this text
	}
	d.used.failed(f)
	if n > 1 {
		return nil, fmt.Errorf("%w, the last of %d requests", asRow(f), n)
	}
	return nil, asRow(f)
}

// backoff is the wait before request n+1: doubled each time up to a minute, the upper half of it by a hash, so that
// texts that failed together do not come back together.
func backoff(first time.Duration, text string, n int) time.Duration {
	sum := sha256.Sum256([]byte(text))
	wait := min(first<<min(n-1, 16), time.Minute)
	jitter := float64(binary.LittleEndian.Uint32(sum[4*(n%8):])) / (1 << 32)
	return wait/2 + time.Duration(jitter*float64(wait/2))
}
