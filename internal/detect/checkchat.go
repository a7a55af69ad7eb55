package detect

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// wrongChat looks at the section of the kind chat.
func (e *Entry) wrongChat() *mistake {
	c := e.Chat
	switch {
	case e.Kind != "chat" && c != nil:
		return wrong("chat", "a section", "none for the kind "+e.Kind)
	case e.Kind != "chat":
		return nil
	case c == nil:
		return wrong("chat", "nothing", "a section that says which server is asked and what")
	case c.APIKeyEnv != "" && !variable.MatchString(c.APIKeyEnv):
		// Not quoted: it may be the key itself.
		return inChat("api_key_env", "something else", "the name of an environment variable, not the key")
	}
	for _, f := range []func() *mistake{c.wrongURL, c.wrongWords, c.wrongNumbers, c.wrongRequest} {
		if m := f(); m != nil {
			return m
		}
	}
	return nil
}

func inChat(field, found, expected string) *mistake {
	return &mistake{[]any{"chat", field}, "chat." + field, found, expected}
}

func (c *Chat) wrongURL() *mistake {
	u, err := url.Parse(c.URL)
	switch {
	case err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != ""): // not quoted: keys stand there
		return inChat("url", "a user name or a query", "an address without: the key belongs into the variable of api_key_env")
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return inChat("url", fault.Quote(c.URL), "the server's address up to its version, such as https://HOST/v1")
	case u.Scheme == "http" && !near(u.Hostname()):
		return inChat("url", fault.Quote(c.URL), "https, for a server outside this machine and its private network")
	case u.Scheme == "http" && c.APIKeyEnv != "" && !loopback(u.Hostname()):
		return inChat("url", fault.Quote(c.URL), "https, since a key is sent to another machine")
	}
	return nil
}

// wrongWords looks at the model's name and at the two answers, which have to be told apart at their beginnings.
func (c *Chat) wrongWords() *mistake {
	for _, f := range []struct{ name, found string }{
		{"model", c.Model}, {"positive", c.Positive}, {"negative", c.Negative},
	} {
		if f.found == "" || strings.TrimSpace(f.found) != f.found || strings.Contains(f.found, "\n") {
			return inChat(f.name, fault.Quote(f.found), "a text of one line without space around it")
		}
	}
	p, n := strings.ToLower(c.Positive), strings.ToLower(c.Negative)
	if strings.HasPrefix(p, n) || strings.HasPrefix(n, p) {
		return inChat("negative", fault.Quote(c.Negative), "a text that neither begins like positive nor positive like it")
	}
	return nil
}

func (c *Chat) wrongNumbers() *mistake {
	for _, f := range []struct {
		name        string
		found       int
		least, most int
	}{
		{"max_tokens", c.MaxTokens, 1, 1024},
		{"top_logprobs", c.TopLogprobs, 0, 20},
		{"timeout", c.Timeout, 0, 3600},
		{"tries", c.Tries, 0, 100},
		{"concurrency", c.InFlight, 0, 256},
	} {
		if f.found < f.least || f.found > f.most {
			return inChat(f.name, strconv.Itoa(f.found), strconv.Itoa(f.least)+" to "+strconv.Itoa(f.most))
		}
	}
	for _, f := range []struct {
		name  string
		found float64
	}{{"input_price", c.InputPrice}, {"output_price", c.OutputPrice}, {"budget", c.Budget}} {
		if !(f.found >= 0 && f.found <= 1e6) {
			return inChat(f.name, number(f.found), "0 to 1000000 dollars")
		}
	}
	if c.Budget > 0 && c.InputPrice+c.OutputPrice == 0 {
		return inChat("budget", number(c.Budget), "prices beside it, input_price and output_price")
	}
	return nil
}

// wrongRequest keeps the fields that make an answer what it is taken for.
func (c *Chat) wrongRequest() *mistake {
	for _, name := range slices.Sorted(maps.Keys(c.Request)) {
		if slices.Contains([]string{"model", "messages", "n", "stream"}, name) {
			return inChat("request", "the field "+name, "further fields of the request")
		}
	}
	if _, err := json.Marshal(c.Request); err != nil {
		return inChat("request", "what JSON cannot hold", "texts, numbers, truth values, lists and mappings")
	}
	return nil
}
