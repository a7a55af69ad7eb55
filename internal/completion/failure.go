package completion

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Outcome says what a failure means for this request and for others.
type Outcome int

// The outcomes of a request without an answer.
const (
	Passing  Outcome = iota // the same request may succeed later
	Withheld                // a filter refuses this text
	Refused                 // the server cannot answer this request
	Garbled                 // what came is no answer
	Lasting                 // every other request would meet it
	Ended                   // the context is done
)

// Failure is a request without an answer.
type Failure struct {
	Kind    Outcome
	Status  int           // of HTTP; 0 when there was none
	What    string        // after "the server"; holds nothing that may repeat the text
	Words   string        // the server's own, without the key, for people alone: they may repeat the text
	Address string        // how the address is to be changed, where that is to blame
	After   time.Duration // how long the server asks to wait
}

// What is wrong with a connection, where that decides what comes next.
const (
	unreachable = "cannot be reached"
	untrusted   = "has a certificate that does not hold"
)

// Untrusted reports whether the server could not prove who it is.
func (f *Failure) Untrusted() bool { return f.What == untrusted }

// What is said of the two halves of a wrong protocol.
const (
	toHTTP  = "write http:// in the place of https://"
	toHTTPS = "write https:// in the place of http://"
)

// broken describes a connection that failed.
func (c *Client) broken(err error) *Failure {
	var ue *url.Error
	if errors.As(err, &ue) { // its text holds the address once more
		err = ue.Err
	}
	f := &Failure{Kind: Passing, What: "broke the connection", Words: c.WithoutKey(err.Error())}
	var ne net.Error
	var oe *net.OpError
	var ce *tls.CertificateVerificationError
	var re tls.RecordHeaderError
	switch {
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &re):
		return &Failure{Kind: Lasting, What: "speaks http, not https", Address: toHTTP}
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`): // an alert of TLS
		return &Failure{Kind: Lasting, What: "speaks https, not http", Address: toHTTPS}
	case errors.As(err, &ce):
		f.Kind, f.What = Lasting, untrusted
	case errors.As(err, &oe) && oe.Op == "dial":
		f.What = unreachable
	case errors.As(err, &ne) && ne.Timeout():
		f.What, f.Words = "gave no whole answer within "+strconv.FormatFloat(c.timeout.Seconds(), 'g', 4, 64)+" s", ""
	}
	return f
}

// wantsTLS finds what servers say to a request that is not encrypted and should be.
var wantsTLS = regexp.MustCompile(`(?i)HTTP request to an HTTPS server|plain HTTP request was sent to HTTPS|speaking plain HTTP`)

// refusal describes an answer that is an error.
func (c *Client) refusal(res *http.Response, data []byte) *Failure {
	said := c.complaint(data)
	f := &Failure{Kind: Refused, Status: res.StatusCode, Words: said.words,
		What: "answered with status " + strconv.Itoa(res.StatusCode) + said.code}
	html := isHTML(res, data)
	if html {
		f.What += " and an HTML page"
	}
	switch code := res.StatusCode; {
	case code == http.StatusBadRequest && strings.HasPrefix(c.url, "http://") && wantsTLS.Match(data):
		return &Failure{Kind: Lasting, Status: code, What: "speaks https, not http", Address: toHTTPS}
	case code >= 300 && code < 400:
		f.Kind, f.What, f.Words = Lasting, "points to another address", c.WithoutKey(res.Header.Get("Location"))
	case said.filtered && code < 500:
		f.Kind = Withheld
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		f.Kind, f.Words = Lasting, "" // such answers show parts of keys
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code == http.StatusNotImplemented:
		f.Kind = Lasting
		if !strings.Contains(strings.ToLower(said.words), "model") { // else it is that which is not found
			f.Address = c.unversioned()
		}
	case code == http.StatusPaymentRequired || said.unpaid:
		f.Kind = Lasting
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		if html {
			f.What += ", as a proxy does"
		}
		f.Kind, f.After = Passing, retryAfter(res.Header.Get("Retry-After"), time.Now())
	}
	return f
}

// noCompletion describes an answer without error that is no JSON as the protocol has it.
func (c *Client) noCompletion(res *http.Response, data []byte) *Failure {
	f := &Failure{Kind: Garbled, Status: res.StatusCode, What: "sent no chat completion", Words: contentType(res.Header)}
	if isHTML(res, data) {
		f.What, f.Words, f.Address = "sent an HTML page, not JSON", "", c.unversioned()
		if f.Address == "" {
			f.Address = "a page for people is there, or a proxy's"
		}
	}
	return f
}

// version finds the part of a path that names the version of an interface.
var version = regexp.MustCompile(`/v\d+[a-z]*(/|$)`)

// unversioned says what is to be doubted about an address without a version, and nothing about others.
func (c *Client) unversioned() string {
	base := strings.TrimSuffix(c.url, path)
	if u, err := url.Parse(base); err != nil || version.MatchString(u.Path) {
		return ""
	}
	return "is its path …/v1? " + base + " has none"
}

// isHTML reports whether what came is a page.
func isHTML(res *http.Response, data []byte) bool {
	t, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	begin := strings.ToLower(strings.TrimSpace(string(data[:min(len(data), 200)])))
	return t == "text/html" || strings.HasPrefix(begin, "<!doctype html") || strings.HasPrefix(begin, "<html")
}

// said is what the body of an error says.
type said struct {
	words            string
	code             string // in brackets behind a space, or empty: names of errors, never free text
	filtered, unpaid bool
}

var errorName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// complaint reads the body of an error in the forms that servers give it.
func (c *Client) complaint(data []byte) said {
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
	s.words = c.WithoutKey(s.words)
	var names []string
	for _, v := range []any{e.Type, e.Code} {
		name, _ := v.(string)
		if name = c.WithoutKey(name); errorName.MatchString(name) {
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
