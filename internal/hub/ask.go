package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pidsbench/internal/fault"
)

// answer is the response that holds a file's bytes, and what the hub said about the file on the way to it.
type answer struct {
	body   io.ReadCloser
	offset int64  // of the first byte of body in the file
	total  int64  // bytes of the whole file, -1 when nobody says
	sha256 string // of the whole file by the hub's word, or empty
	commit string // by the hub's word, or empty
	web    bool   // it is a page for people
}

// temporary is a failure that may be gone at the next try.
type temporary struct {
	reason string // "the host answered with status 503"
	cure   string
	after  time.Duration // what the hub asks to wait, 0 when it names no time
}

func (t *temporary) Error() string { return t.reason }

// errRange says that the hub does not give the file from the byte asked for on.
var errRange = errors.New("no such range")

// ask requests a file from byte offset on. It follows redirects, sends the token to the hub alone, and returns a
// *temporary error for what is worth another try, errRange, or a *fault.Error that says what is wrong.
func (c *Client) ask(ctx context.Context, f File, offset int64) (*answer, error) {
	at := c.address(f.Repo + "/resolve/" + f.Commit + "/" + f.Path)
	said := http.Header{} // by the hub itself: the first of each header counts
	for range maxHops {
		r, err := c.get(ctx, at, offset)
		if err != nil {
			return nil, err
		}
		hub := c.isHub(at)
		if hub {
			for k, v := range r.Header {
				if _, seen := said[k]; !seen {
					said[k] = v
				}
			}
		}
		switch {
		case r.StatusCode == http.StatusOK, r.StatusCode == http.StatusPartialContent:
			return read(r, said)
		case r.StatusCode >= 300 && r.StatusCode < 400:
			r.Body.Close()
			if at, err = c.next(f, at, r.Header.Get("Location"), hub); err != nil {
				return nil, err
			}
		default:
			io.CopyN(io.Discard, r.Body, 1<<16) //nolint:errcheck // only so that the connection can serve again
			r.Body.Close()
			return nil, c.refusal(f, r, at, hub)
		}
	}
	return nil, fault.New(fault.Failed, "%s sends %s from one address to another without an end", c.Host(), f).
		WithCure("check %s", EndpointVar)
}

func (c *Client) get(ctx context.Context, at *url.URL, offset int64) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot ask %s for a file", fault.Name(at.Host)).
			WithCure("check %s", EndpointVar)
	}
	q.Header.Set("User-Agent", "pidsbench")
	q.Header.Set("Accept-Encoding", "identity") // sizes and ranges count the file's own bytes
	if offset > 0 {
		q.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	if c.token != "" && c.isHub(at) {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	r, err := c.http.Do(q)
	if err == nil {
		return r, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var address *url.Error // whose text holds the whole address, at times with a signature in it
	if errors.As(err, &address) {
		err = address.Err
	}
	reason := fmt.Sprintf("%s cannot be reached: %s", fault.Name(at.Host), fault.Line(err.Error()))
	cure := fmt.Sprintf("check the network, the proxy settings and %s", EndpointVar)
	if name := new(net.DNSError); errors.As(err, &name) && name.IsNotFound {
		return nil, fault.New(fault.Failed, "%s", reason).WithCure("%s", cure) // waiting makes no host
	}
	return nil, &temporary{reason: reason, cure: cure}
}

// isHub says whether an address is on the hub itself: same scheme, host and port.
func (c *Client) isHub(at *url.URL) bool {
	return at.Scheme == c.endpoint.Scheme && strings.EqualFold(at.Host, c.endpoint.Host)
}

// next returns where a redirect leads.
func (c *Client) next(f File, at *url.URL, location string, hub bool) (*url.URL, error) {
	to, err := at.Parse(location)
	if err != nil || location == "" || to.Host == "" {
		return nil, fault.New(fault.Failed, "%s sends %s to an address that is none", fault.Name(at.Host), f).
			WithCure("check %s", EndpointVar)
	}
	if to.Scheme != "https" && !(c.endpoint.Scheme == "http" && to.Scheme == "http" && isLoopback(to.Hostname())) {
		return nil, fault.New(fault.Integrity, "%s sends %s to an address without https", fault.Name(at.Host), f).
			WithCure("do not use this hub; check %s", EndpointVar)
	}
	if hub && c.isHub(to) {
		path := strings.TrimPrefix(to.Path, c.endpoint.Path)
		if repo, _, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/resolve/"); ok && repo != f.Repo {
			return nil, fault.New(fault.Usage, "the repository %s was moved to %s", f.Repo, fault.Quote(repo)).
				WithCure("make sure that it is the same model and set pull.repo to it in detectors.yaml")
		}
	}
	return to, nil
}

var (
	sha256Tag    = regexp.MustCompile(`^(?:W/)?"?([0-9a-f]{64})"?$`)
	contentRange = regexp.MustCompile(`^bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)$`)
)

// read takes what a successful response and the hub say about the file.
func read(r *http.Response, said http.Header) (*answer, error) {
	a := &answer{body: r.Body, total: r.ContentLength, commit: said.Get("X-Repo-Commit")}
	a.web = strings.HasPrefix(r.Header.Get("Content-Type"), "text/html")
	if r.StatusCode == http.StatusPartialContent {
		m := contentRange.FindStringSubmatch(r.Header.Get("Content-Range"))
		if m == nil {
			r.Body.Close()
			return nil, errRange
		}
		a.offset, _ = strconv.ParseInt(m[1], 10, 64)
		a.total = -1
		if m[2] != "*" {
			a.total, _ = strconv.ParseInt(m[2], 10, 64)
		}
	}
	if m := sha256Tag.FindStringSubmatch(said.Get("X-Linked-Etag")); m != nil {
		a.sha256 = m[1]
	}
	if n, err := strconv.ParseInt(said.Get("X-Linked-Size"), 10, 64); err == nil && n >= 0 {
		a.total = n
	}
	return a, nil
}
