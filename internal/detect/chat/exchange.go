package chat

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxReply bounds the bytes of an answer.
const maxReply = 4 << 20

// outcome says what a failure means for this text and the others.
type outcome int

const (
	passing  outcome = iota // the same request may succeed later
	withheld                // a filter refuses this text
	refused                 // the server cannot answer this request
	garbled                 // what came is no answer
	lasting                 // every other text would meet it
	ended                   // the context is done
)

// failure is a request without an answer.
type failure struct {
	kind   outcome
	status int           // of HTTP; 0 when there was none
	what   string        // after "the server"; holds nothing that may repeat the text
	words  string        // the server's own, for people alone: they may repeat the text or the key
	after  time.Duration // how long the server asks to wait
}

func (f *failure) asRow() error {
	if f.kind == withheld {
		return errors.New("a content filter withheld the answer")
	}
	return errors.New("the server " + f.what)
}

// reply is an answer as the protocol has it.
type reply struct {
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint"`
	Choices     []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		Finish   string          `json:"finish_reason"`
		Logprobs json.RawMessage `json:"logprobs"` // read apart: a strange form costs the probabilities, not the answer
	} `json:"choices"`
	Usage *struct {
		Input  int64 `json:"prompt_tokens"`
		Output int64 `json:"completion_tokens"`
	} `json:"usage"`
}

// exchange sends a request once, for which cost was reserved, and settles what it did cost.
func (d *Detector) exchange(ctx context.Context, body []byte, cost float64) (*reply, *failure) {
	r, f, billed := d.send(ctx, body)
	if f != nil && ctx.Err() != nil {
		f = &failure{kind: ended}
	}
	d.used.settle(r, cost, billed)
	return r, f
}

// send also reports whether the server may have worked on the request.
func (d *Detector) send(ctx context.Context, body []byte) (r *reply, f *failure, billed bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(d.c.Timeout)*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(body))
	if err != nil {
		return nil, &failure{kind: lasting, what: "has an address that cannot be used"}, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pidsbench")
	if d.key != "" {
		req.Header.Set("Authorization", "Bearer "+d.key)
	}
	res, err := d.client.Do(req)
	if err != nil {
		f := d.broken(err)
		return nil, f, f.what != unreachable
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, d.broken(err), res.StatusCode == http.StatusOK
	case len(data) > maxReply:
		return nil, &failure{kind: garbled, status: res.StatusCode,
			what: fmt.Sprintf("answered with more than %d bytes", maxReply)}, true
	case res.StatusCode != http.StatusOK:
		return nil, statusFailure(res, data, d.withoutKey), false
	}
	r = &reply{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, &failure{kind: garbled, status: res.StatusCode, what: "sent no chat completion",
			words: contentType(res.Header)}, true
	}
	if len(r.Choices) == 0 {
		said := complaint(data, d.withoutKey)
		return nil, &failure{kind: garbled, status: res.StatusCode, what: "sent an answer without choices" + said.code,
			words: said.words}, true
	}
	return r, nil, true
}

// What is wrong with a connection, where that decides what comes next.
const (
	unreachable = "cannot be reached"
	untrusted   = "has a certificate that does not hold"
)

// broken describes a connection that failed.
func (d *Detector) broken(err error) *failure {
	var ue *url.Error
	if errors.As(err, &ue) { // its text holds the address once more
		err = ue.Err
	}
	f := &failure{kind: passing, what: "broke the connection", words: err.Error()}
	var ne net.Error
	var oe *net.OpError
	var ce *tls.CertificateVerificationError
	switch {
	case errors.As(err, &ce):
		f.kind, f.what = lasting, untrusted
	case errors.As(err, &oe) && oe.Op == "dial":
		f.what = unreachable
	case errors.As(err, &ne) && ne.Timeout():
		f.what, f.words = fmt.Sprintf("gave no whole answer within %d s", d.c.Timeout), ""
	}
	return f
}

// statusFailure describes an answer that is an error.
func statusFailure(res *http.Response, data []byte, clean func(string) string) *failure {
	said := complaint(data, clean)
	f := &failure{kind: refused, status: res.StatusCode, words: said.words,
		what: "answered with status " + strconv.Itoa(res.StatusCode) + said.code}
	switch code := res.StatusCode; {
	case code >= 300 && code < 400:
		f.kind, f.what, f.words = lasting, "points to another address", res.Header.Get("Location")
	case said.filtered && code < 500:
		f.kind = withheld
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		f.kind, f.words = lasting, "" // such answers show parts of keys
	case code == http.StatusPaymentRequired || code == http.StatusNotFound || said.unpaid:
		f.kind = lasting
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		f.kind, f.after = passing, retryAfter(res.Header.Get("Retry-After"), time.Now())
	}
	return f
}

// said is what the body of an error says.
type said struct {
	words            string
	code             string // in brackets behind a space, or empty: names of errors, never free text
	filtered, unpaid bool
}

var errorName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// complaint reads the body of an error in the forms that servers give it.
func complaint(data []byte, clean func(string) string) said {
	var s said
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	_ = json.Unmarshal(data, &body) // a field of another type leaves the rest
	var e struct {
		Message  string                     `json:"message"`
		Type     any                        `json:"type"`
		Code     any                        `json:"code"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(body.Error, &s.words) != nil {
		_ = json.Unmarshal(body.Error, &e)
		s.words = e.Message
	}
	for _, other := range []string{body.Message, body.Detail} {
		if s.words == "" {
			s.words = other
		}
	}
	var names []string
	for _, v := range []any{e.Type, e.Code} {
		name, _ := v.(string)
		if name = clean(name); errorName.MatchString(name) {
			names = append(names, name)
			s.filtered = s.filtered || strings.Contains(name, "content_filter") || strings.Contains(name, "content_policy")
			s.unpaid = s.unpaid || name == "insufficient_quota"
		}
	}
	if len(names) > 0 {
		s.code = " (" + strings.Join(names, ", ") + ")"
	}
	if _, flagged := e.Metadata["flagged_input"]; flagged { // OpenRouter's moderation, with status 403
		s.filtered = true
	}
	return s
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && seconds > 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// contentType names what came instead of JSON.
func contentType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return "its content type is " + t
}
