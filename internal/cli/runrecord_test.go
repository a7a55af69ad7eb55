package cli

import (
	"strings"
	"testing"
)

func TestTheRecordedCommandLineHoldsNoSecret(t *testing.T) {
	env := []string{"OPENAI_API_KEY=correct-horse-battery", "HF_TOKEN=short", "HOME=/home/someone"}
	for name, tt := range map[string]struct{ args, want string }{
		"plain words":                 {"eval --detector deberta,tfidf", "pidsbench eval --detector deberta,tfidf"},
		"words are quoted":            {"scan|it's here|$HOME", `pidsbench scan 'it'\''s here' '$HOME'`},
		"a secret of the environment": {"scan|key correct-horse-battery", "pidsbench scan 'key [secret]'"},
		"a short value is kept":       {"scan|short", "pidsbench scan short"},
		"a known form":                {"scan|sk-abcdefgh1234|hf_ABCDEFGHIJ", "pidsbench scan '[secret]' '[secret]'"},
		"an address":                  {"scan|https://me:pw@host/x", "pidsbench scan 'https://[secret]@host/x'"},
	} {
		t.Run(name, func(t *testing.T) {
			sep := " "
			if strings.Contains(tt.args, "|") {
				sep = "|"
			}
			st := &State{Args: strings.Split(tt.args, sep), Environ: func() []string { return env }}
			if got := st.commandLine(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTheRunRecordNamesWhatRan(t *testing.T) {
	record := runRecord(&State{Args: []string{"report"}})
	for _, name := range []string{"pidsbench", "go", "platform", "processor", "cores", "command"} {
		if record[name] == "" {
			t.Errorf("the record lacks %s: %v", name, record)
		}
	}
}
