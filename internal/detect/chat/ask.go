package chat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"time"

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

// ask returns the answer to a text, asking again after what may pass. A failure is the row's error, or ends the run.
func (d *Detector) ask(ctx context.Context, text string) (*reply, error) {
	body, cost := d.request(text)
	var f *failure
	n := 1
	for ; ; n++ {
		if !d.used.reserve(cost) {
			return nil, &detect.StopError{Err: d.overBudget(cost)}
		}
		var r *reply
		if r, f = d.exchange(ctx, body, cost); f == nil {
			d.lost.Store(0)
			return r, nil
		}
		if f.kind != passing || n == d.c.Tries || f.after > longestWait {
			break
		}
		d.used.again()
		timer := time.NewTimer(max(backoff(d.pause, text, n), f.after))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
	switch f.kind {
	case ended:
		return nil, ctx.Err()
	case lasting:
		return nil, &detect.StopError{Err: d.explain(f, fault.Failed)}
	case passing, garbled:
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
		return nil, fmt.Errorf("%w, the last of %d requests", f.asRow(), n)
	}
	return nil, f.asRow()
}

// backoff is the wait before request n+1: doubled each time up to a minute, the upper half of it by a hash, so that
// texts that failed together do not come back together.
func backoff(first time.Duration, text string, n int) time.Duration {
	sum := sha256.Sum256([]byte(text))
	wait := min(first<<min(n-1, 16), time.Minute)
	jitter := float64(binary.LittleEndian.Uint32(sum[4*(n%8):])) / (1 << 32)
	return wait/2 + time.Duration(jitter*float64(wait/2))
}
