// Package hub downloads files of a model hub's repositories, each at a commit, over HTTPS. It speaks the hub's file
// layout and nothing else of it: ENDPOINT/OWNER/NAME/resolve/COMMIT/PATH.
package hub

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pidsbench/internal/fault"
)

// DefaultEndpoint is the public hub.
const DefaultEndpoint = "https://huggingface.co"

// The environment variables that people name a hub and their token with.
const (
	EndpointVar = "HF_ENDPOINT"
	TokenVar    = "HF_TOKEN"
)

// Options says which hub is asked, as whom, and who is told about it. The zero value asks the public one as nobody.
type Options struct {
	Endpoint string // DefaultEndpoint when empty; https, or http on this machine
	Token    string // sent to the endpoint's host alone, and never printed

	Log func(format string, args ...any) // a line a wait; nil for silence
	// Progress is called now and then while a file comes: bytes on disk, and bytes in all or -1; nil for silence.
	Progress func(path string, done, total int64)
}

// Client downloads files of one hub. It is safe for concurrent use on different files.
type Client struct {
	endpoint *url.URL // without a slash at the end
	token    string
	http     *http.Client
	log      func(format string, args ...any)
	progress func(path string, done, total int64)
	pause    time.Duration // before the second try; doubled for each further one
	stall    time.Duration // the longest wait for more bytes of a file
	limit    int64         // most bytes of a file
}

// Bounds of a download.
const (
	tries       = 5                // in a row without a new byte
	maxPause    = 30 * time.Second // between two tries, unless the hub names a time
	longestWait = 5 * time.Minute  // that the hub may ask for
	maxFile     = 8 << 30          // bytes
	maxHops     = 10               // redirects
)

// New returns a client. An endpoint that is no https address, and a token that cannot be one, are Usage errors.
func New(o Options) (*Client, error) {
	endpoint := o.Endpoint
	if endpoint == "" {
		endpoint = DefaultEndpoint
	}
	u, err := url.Parse(strings.TrimRight(endpoint, "/"))
	wrong := func(found string) error {
		return fault.New(fault.Usage, "%s holds %s, expected an https address such as %s, or http on this machine",
			EndpointVar, found, DefaultEndpoint).WithCure("correct it or unset it")
	}
	switch {
	case err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != ""): // not quoted: secrets stand there
		return nil, wrong("an address with a user name or a query")
	case err != nil, u.Host == "":
		return nil, wrong(fault.Quote(endpoint))
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())):
		return nil, wrong(fault.Quote(endpoint))
	}
	token := strings.TrimSpace(o.Token)
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fault.New(fault.Usage, "%s holds characters that no token has", TokenVar).
			WithCure("set it again from the hub's page of tokens")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	c := &Client{
		endpoint: u, token: token, log: o.Log, progress: o.Progress, pause: time.Second, stall: time.Minute, limit: maxFile,
		http: &http.Client{
			Transport: transport,
			// Redirects are followed by hand: the token must not go along to a storage host, and a repository that was
			// renamed has to be noticed.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	if c.log == nil {
		c.log = func(string, ...any) {}
	}
	if c.progress == nil {
		c.progress = func(string, int64, int64) {}
	}
	return c, nil
}

// Host returns the name of the hub's host, for messages.
func (c *Client) Host() string { return fault.Name(c.endpoint.Host) }

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// File is one file of a repository at a commit.
type File struct {
	Repo   string // owner/name
	Commit string // 40 hexadecimal digits
	Path   string // in the repository, with slashes
	SHA256 string // what it must have, or empty
	Gated  bool   // whether its owner is known to want terms accepted first
}

func (f File) String() string { return f.Repo + "/" + f.Path }

// address returns where a path of the hub is, whatever characters it holds.
func (c *Client) address(path string) *url.URL {
	u := *c.endpoint
	u.Path, u.RawPath = u.Path+"/"+path, ""
	return &u
}

// wait sleeps, or returns the context's error.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
