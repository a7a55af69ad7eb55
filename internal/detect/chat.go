package detect

import (
	"net"
	"net/url"
	"strings"
)

// Chat says how a detector of kind chat asks a model: which server that speaks the OpenAI chat protocol, what, and how
// the answer is read. Where the server stands, who pays and how fast it is asked are no part of a score's identity.
type Chat struct {
	URL       string `yaml:"url" json:"-"`         // base address: https://HOST/v1
	APIKeyEnv string `yaml:"api_key_env" json:"-"` // the environment variable that holds the key; empty: none is sent

	Model       string `yaml:"model" json:"model"`                       // as the server names it
	Instruction string `yaml:"instruction" json:"instruction,omitempty"` // system message; empty for guard models
	Positive    string `yaml:"positive" json:"positive"`                 // how an answer begins that says injection
	Negative    string `yaml:"negative" json:"negative"`                 // how one begins that says benign
	MaxTokens   int    `yaml:"max_tokens" json:"max_tokens"`             // of an answer
	TopLogprobs int    `yaml:"top_logprobs" json:"top_logprobs"`         // alternatives a token, 0 to 20; 0 asks for none
	// Request holds further fields of the request; null takes one of ours out.
	Request map[string]any `yaml:"request" json:"request,omitempty"`

	Timeout     int     `yaml:"timeout" json:"-"`     // seconds for one request with its answer; 0 means 60
	Tries       int     `yaml:"tries" json:"-"`       // requests for one text; 0 means 6
	InFlight    int     `yaml:"concurrency" json:"-"` // requests at once; 0 means 4
	InputPrice  float64 `yaml:"input_price" json:"-"` // dollars a million tokens
	OutputPrice float64 `yaml:"output_price" json:"-"`
	Budget      float64 `yaml:"budget" json:"-"` // dollars a run may cost; 0 means no limit
}

// Host returns the server's host, with the port where the address names one.
func (c *Chat) Host() string {
	u, err := url.Parse(c.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// OnThisMachine reports whether the server is on this machine, so that no text leaves it.
func (c *Chat) OnThisMachine() bool {
	u, err := url.Parse(c.URL)
	return err == nil && loopback(u.Hostname())
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// near reports whether a host is this machine or, by its address or name, one of a private network.
func near(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal")
}
