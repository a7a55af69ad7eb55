// Package completion sends requests to servers that speak the OpenAI chat protocol, and says in words what went wrong.
// What is asked, how an answer is read and when a request is repeated are the callers' affair.
package completion

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxReply bounds the bytes of an answer.
const maxReply = 4 << 20

// Client asks one server. Its methods are safe for concurrent use.
type Client struct {
	url     string // of the requests
	key     string // sent to the server alone; in no message
	timeout time.Duration
	http    *http.Client
}

// path leads from the base address to what takes requests.
const path = "/chat/completions"

// New returns the client of the server at a base address, such as https://HOST/v1. A key may be empty; timeout bounds
// one request with its answer, connections is how many are kept open.
func New(base, key string, timeout time.Duration, connections int) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	transport.MaxIdleConnsPerHost = connections
	transport.MaxResponseHeaderBytes = 1 << 16
	return &Client{url: strings.TrimSuffix(strings.TrimSuffix(base, "/"), path) + path, key: key, timeout: timeout, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // texts and key stay here
	}}
}

// Host returns the server's host, with the port where the address names one.
func (c *Client) Host() string {
	u, err := url.Parse(c.url)
	if err != nil {
		return ""
	}
	return u.Host
}

// Close ends the connections that are open and idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Reply is an answer as the protocol has it, with one choice at least.
type Reply struct {
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

// Send sends the body of a request once. It also reports whether the server may have worked on it.
func (c *Client) Send(ctx context.Context, body []byte) (r *Reply, f *Failure, billed bool) {
	r, f, billed = c.send(ctx, body)
	if f != nil && ctx.Err() != nil {
		f = &Failure{Kind: Ended}
	}
	return r, f, billed
}

func (c *Client) send(ctx context.Context, body []byte) (r *Reply, f *Failure, billed bool) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, &Failure{Kind: Lasting, What: "has an address that cannot be used"}, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pidsbench")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		f := c.broken(err)
		return nil, f, f.What != unreachable && f.Address == ""
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, c.broken(err), res.StatusCode == http.StatusOK
	case len(data) > maxReply:
		return nil, &Failure{Kind: Garbled, Status: res.StatusCode,
			What: fmt.Sprintf("answered with more than %d bytes", maxReply)}, true
	case res.StatusCode != http.StatusOK:
		return nil, c.refusal(res, data), false
	}
	r = &Reply{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, c.noCompletion(res, data), true
	}
	if len(r.Choices) == 0 {
		said := c.complaint(data)
		return nil, &Failure{Kind: Garbled, Status: res.StatusCode, What: "sent an answer without choices" + said.code,
			Words: said.words}, true
	}
	return r, nil, true
}

// WithoutKey takes the key out of what a server sends back, also where it was cut.
func (c *Client) WithoutKey(s string) string {
	for n := len(c.key); n >= min(8, len(c.key)) && n > 0; n-- {
		s = strings.ReplaceAll(s, c.key[:n], "[key]")
	}
	return s
}
