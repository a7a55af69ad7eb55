package detect

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

// judge is a detectors file with one chat detector; its section begins on line 5, a field a line.
const judge = `detectors:
  - id: judge
    kind: chat
    chat:
      url: https://models.example/v1
      api_key_env: JUDGE_KEY
      model: judge-1
      instruction: Answer 1 or 0.
      positive: "1"
      negative: "0"
      max_tokens: 1
      top_logprobs: 5
      timeout: 30
      tries: 3
      concurrency: 8
      input_price: 0.15
      output_price: 0.6
      budget: 2.5
      request:
        reasoning_effort: none
        seed: null
        chat_template_kwargs: {enable_thinking: false}
`

func TestAChatEntryLoadsWithEveryField(t *testing.T) {
	c, err := parse(judge)
	if err != nil {
		t.Fatal(err)
	}
	chat := c.Detectors[0].Chat
	if chat.Host() != "models.example" || chat.InFlight != 8 || chat.Budget != 2.5 || chat.OnThisMachine() {
		t.Errorf("%+v", chat)
	}
	if v, ok := chat.Request["seed"]; !ok || v != nil || chat.Request["reasoning_effort"] != "none" {
		t.Errorf("request %v", chat.Request)
	}
	if b, err := json.Marshal(chat.Request["chat_template_kwargs"]); err != nil || string(b) != `{"enable_thinking":false}` {
		t.Errorf("request %s, %v", b, err)
	}
}

func TestWrongChatEntriesNameTheirField(t *testing.T) {
	for _, tt := range []struct{ from, to, line, field string }{
		{"https://models.example/v1", "models.example", "5", "chat.url"},
		{"https://models.example/v1", "ftp://models.example", "5", "chat.url"},
		{"https://models.example/v1", "https:///v1", "5", "chat.url"},
		{"https://models.example/v1", "https://user:word@models.example/v1", "5", "chat.url"},
		{"https://models.example/v1", "https://models.example/v1?key=word", "5", "chat.url"},
		{"https://models.example/v1", "http://models.example/v1", "5", "chat.url"},
		{"https://models.example/v1", "http://8.8.8.8/v1", "5", "chat.url"},
		{"https://models.example/v1", "http://169.254.169.254/v1", "5", "chat.url"},
		{"https://models.example/v1", "http://10.0.0.7:8000/v1", "5", "chat.url"}, // a key in the open
		{"JUDGE_KEY", "sk-live-word", "6", "chat.api_key_env"},
		{"judge-1", `""`, "7", "chat.model"},
		{`positive: "1"`, `positive: " 1"`, "9", "chat.positive"},
		{`negative: "0"`, `negative: ""`, "10", "chat.negative"},
		{`negative: "0"`, `negative: "10"`, "10", "chat.negative"},
		{`negative: "0"`, `negative: "1"`, "10", "chat.negative"},
		{"max_tokens: 1", "max_tokens: 0", "11", "chat.max_tokens"},
		{"top_logprobs: 5", "top_logprobs: 21", "12", "chat.top_logprobs"},
		{"timeout: 30", "timeout: -1", "13", "chat.timeout"},
		{"tries: 3", "tries: 101", "14", "chat.tries"},
		{"concurrency: 8", "concurrency: 257", "15", "chat.concurrency"},
		{"input_price: 0.15", "input_price: .nan", "16", "chat.input_price"},
		{"budget: 2.5", "budget: -1", "18", "chat.budget"},
		{"reasoning_effort: none", "messages: []", "19", "chat.request"},
		{"reasoning_effort: none", "top_p: .nan", "19", "chat.request"},
		{"kind: chat", "kind: rule", "4", "chat"},
	} {
		data := strings.Replace(judge, tt.from, tt.to, 1)
		_, err := parse(data)
		testenv.WantFault(t, err, fault.Usage, "d.yaml:"+tt.line+": field "+tt.field+" holds ")
		if strings.Contains(err.Error(), "word") {
			t.Errorf("the message shows a secret: %v", err)
		}
	}
	_, err := parse("detectors:\n  - id: judge\n    kind: chat\n")
	testenv.WantFault(t, err, fault.Usage, "field chat is missing")
	_, err = parse(strings.NewReplacer("input_price: 0.15", "", "output_price: 0.6", "").Replace(judge))
	testenv.WantFault(t, err, fault.Usage, "field chat.budget", "input_price")
}

func TestHTTPServesThisMachineAndPrivateNetworks(t *testing.T) {
	keyless := strings.Replace(judge, "      api_key_env: JUDGE_KEY\n", "", 1)
	for _, tt := range []struct {
		host      string
		withKey   bool
		onMachine bool
	}{
		{"127.0.0.1:8000", true, true}, {"localhost:8000", true, true}, {"[::1]:8000", true, true},
		{"10.1.2.3:8000", false, false}, {"192.168.0.9", false, false}, {"[fd00::1]:8000", false, false},
		{"node17:8000", false, false}, {"vllm.models.svc.cluster.local:8000", false, false},
	} {
		address := "http://" + tt.host + "/v1"
		c, err := parse(strings.Replace(keyless, "https://models.example/v1", fmt.Sprintf("%q", address), 1))
		if err != nil {
			t.Errorf("%s: %v", tt.host, err)
			continue
		}
		if got := c.Detectors[0].Chat.OnThisMachine(); got != tt.onMachine {
			t.Errorf("%s: on this machine %v", tt.host, got)
		}
		_, err = parse(strings.Replace(judge, "https://models.example/v1", fmt.Sprintf("%q", address), 1))
		if (err == nil) != tt.withKey {
			t.Errorf("%s with a key: %v", tt.host, err)
		}
	}
}

func TestOnlyWhatChangesAChatScoreChangesItsIdentity(t *testing.T) {
	hash := func(data string) string {
		t.Helper()
		c, err := parse(data)
		if err != nil {
			t.Fatal(err)
		}
		return c.Detectors[0].Hash()
	}
	want := hash(judge)
	for from, to := range map[string]string{
		"models.example": "elsewhere.example", "JUDGE_KEY": "OTHER_KEY", "timeout: 30": "timeout: 31", "tries: 3": "tries: 4",
		"concurrency: 8": "concurrency: 9", "input_price: 0.15": "input_price: 1", "budget: 2.5": "budget: 3",
	} {
		if hash(strings.Replace(judge, from, to, 1)) != want {
			t.Errorf("%s → %s changes the hash", from, to)
		}
	}
	for from, to := range map[string]string{
		"judge-1": "judge-2", "Answer 1 or 0.": "Answer 0 or 1.", `positive: "1"`: `positive: "2"`,
		`negative: "0"`: `negative: "2"`, "max_tokens: 1": "max_tokens: 2", "top_logprobs: 5": "top_logprobs: 6",
		"reasoning_effort: none": "reasoning_effort: low", "seed: null": "seed: 1",
	} {
		if hash(strings.Replace(judge, from, to, 1)) == want {
			t.Errorf("%s → %s leaves the hash", from, to)
		}
	}
}
