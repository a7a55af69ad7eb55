package hub

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pidsbench/internal/fault"
)

// refusal makes an error of a response that holds no file. The hub names the reason in X-Error-Code and, in words, in
// X-Error-Message; without a token it says of private, gated and absent repositories alike that they are not there.
func (c *Client) refusal(f File, r *http.Response, at *url.URL, hub bool) error {
	host, status := fault.Name(at.Host), r.StatusCode
	switch {
	case status == http.StatusRequestedRangeNotSatisfiable:
		return errRange
	case status == http.StatusTooManyRequests, status >= 500, status == http.StatusRequestTimeout:
		return &temporary{fmt.Sprintf("%s answered with status %d", host, status), "try again later", delay(r.Header)}
	case !hub && (status == http.StatusForbidden || status == http.StatusUnauthorized):
		// The address of a storage host is signed for a few minutes only.
		return &temporary{fmt.Sprintf("%s answered with status %d", host, status), "try again later", 0}
	case !hub:
		return fault.New(fault.Failed, "%s, where %s keeps %s, answered with status %d", host, c.Host(), f, status).
			WithCure("try again later")
	}
	code, words := r.Header.Get("X-Error-Code"), fault.Line(r.Header.Get("X-Error-Message"))
	usage := func(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }
	denied := status == http.StatusUnauthorized || status == http.StatusForbidden
	switch {
	case strings.Contains(words, "is disabled"):
		return fault.New(fault.Failed, "%s has disabled the repository %s", c.Host(), f.Repo).
			WithCure("take the model from elsewhere, into a folder of your own")
	case code == "GatedRepo", denied && code == "" && f.Gated && c.token == "":
		return c.gated(f)
	case code == "RevisionNotFound":
		return usage("the repository %s has no commit %s", f.Repo, f.Commit).
			WithCure("correct pull.revision in detectors.yaml")
	case code == "EntryNotFound":
		return usage("the repository %s has no file %s at commit %.12s", f.Repo, fault.Name(f.Path), f.Commit).
			WithCure("correct pull.path and pull.files in detectors.yaml")
	case denied && c.token != "" && code != "RepoNotFound":
		said := ""
		if words != "" {
			said = ", saying " + strconv.Quote(words)
		}
		return usage("%s refuses %s for the token in %s%s", c.Host(), f.Repo, TokenVar, said).
			WithCure("set one that is valid and may read this repository, or unset %s for a public one", TokenVar)
	case code == "RepoNotFound", denied:
		if c.token == "" {
			return usage("%s shows no repository %s: it is not there, or private", c.Host(), f.Repo).
				WithCure("correct pull.repo in detectors.yaml, or set %s", TokenVar)
		}
		return usage("%s shows no repository %s to the token in %s: it is not there, or private", c.Host(), f.Repo,
			TokenVar).WithCure("correct pull.repo in detectors.yaml, or use a token that may read it")
	case status == http.StatusNotFound:
		return usage("%s has nothing at the address of %s", c.Host(), f).
			WithCure("check that %s names a hub, and pull.repo and pull.files in detectors.yaml", EndpointVar)
	}
	return fault.New(fault.Failed, "%s answered with status %d for %s", c.Host(), status, f).WithCure("try again later")
}

func (c *Client) gated(f File) error {
	page := c.address(f.Repo).String()
	if c.token == "" {
		return fault.New(fault.Usage, "the repository %s is gated: its owner wants terms accepted first", f.Repo).
			WithCure("accept them at %s and set %s to a token of your account", page, TokenVar)
	}
	return fault.New(fault.Usage, "the repository %s is gated, and the account of the token in %s has no access to it",
		f.Repo, TokenVar).WithCure("accept its terms at %s; its owner may take a while to agree", page)
}

var rateReset = regexp.MustCompile(`(?:^|;) *t=([0-9]{1,6})`)

// delay returns how long the hub asks to wait, 0 when it names no time: Retry-After in seconds or as a date, else the
// reset of a RateLimit header.
func delay(h http.Header) time.Duration {
	after := h.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil {
		return min(max(time.Duration(n), 0), 1<<20) * time.Second
	}
	if date, err := http.ParseTime(after); err == nil {
		return max(time.Until(date), 0)
	}
	if m := rateReset.FindStringSubmatch(h.Get("RateLimit")); m != nil {
		n, _ := strconv.Atoi(m[1])
		return time.Duration(n) * time.Second
	}
	return 0
}
