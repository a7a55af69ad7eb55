package chat

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pidsbench/internal/completion"
)

// top writes log-probabilities of one token from probabilities: what was chosen, then alternatives.
func top(chosen string, alternatives ...any) string {
	var list []map[string]any
	for i := 0; i < len(alternatives); i += 2 {
		list = append(list, map[string]any{"token": alternatives[i], "logprob": math.Log(alternatives[i+1].(float64)),
			"bytes": nil})
	}
	own := math.Log(0.5)
	for _, a := range list {
		if a["token"] == chosen {
			own = a["logprob"].(float64)
		}
	}
	b, err := json.Marshal(map[string]any{"token": chosen, "logprob": own, "top_logprobs": list})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func content(tokens ...string) string { return `{"content":[` + strings.Join(tokens, ",") + `]}` }

func TestScoresComeFromTheProbabilitiesOfTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, positive, negative string
		answer, logprobs         string
		want                     float64
		sure                     bool
	}{
		{"both sides", "1", "0", "1", content(top("1", "1", 0.6, "0", 0.2, "A", 0.1)), 0.75, true},
		{"both sides, negative", "1", "0", "0", content(top("0", "0", 0.9, "1", 0.1)), 0.1, true},
		{"the positive one alone", "1", "0", "1", content(top("1", "1", 0.9, "I", 0.05)), 0.9, true},
		{"the negative one alone", "1", "0", "0", content(top("0", "0", 0.9, "I", 0.05)), 0.1, true},
		{"the chosen one beside the list", "1", "0", "1", content(top("1", "0", 0.25)), 2. / 3, true},
		{"no list", "1", "0", "0", content(top("0")), 0.5, true},
		{"one side of an answer that the model was held to", "1", "0", "1", content(top("1", "A", 0.9, "1", 0.001)), 1, false},
		{"the other side of one", "1", "0", "0", content(top("0", "A", 0.9, "0", 0.001)), 0, false},
		{"both sides of one", "1", "0", "1", content(top("1", "A", 0.9, "1", 0.003, "0", 0.001)), 0.75, true},
		{"spellings add up", "1", "0", "1", content(top("1", "1", 0.5, " 1", 0.25, "0", 0.25)), 0.75, true},
		{"other words do not count", "1", "0", "1", content(top("1", "1", 0.5, "10", 0.3, "100%", 0.1, "0", 0.1)), 5. / 6, true},
		{"no probabilities", "1", "0", "1", "", 1, false},
		{"no probabilities, negative", "1", "0", "0", "", 0, false},
		{"an empty list", "1", "0", "1", content(), 1, false},
		{"a strange form", "1", "0", "1", `{"tokens":["1"],"token_logprobs":[-0.1]}`, 1, false},
		{"another type", "1", "0", "0", `[1,2]`, 0, false},
		{"of another answer", "1", "0", "1", content(top("0", "0", 0.9, "1", 0.1)), 1, false},
		{"of the thoughts before it", "1", "0", "0", content(top("Hm", "Hm", 0.9), top("0", "0", 0.9)), 0, false},
		{"zero for all", "1", "0", "1", `{"content":[{"token":"1","logprob":-9999,"top_logprobs":[]}]}`, 1, false},
		{"a null", "1", "0", "1", `{"content":[{"token":"1","logprob":null}]}`, 1, false},
		{"above one", "1", "0", "1", `{"content":[{"token":"1","logprob":0.01}]}`, 1, true},
		{"a guard after an empty line", "unsafe", "safe", "\n\nunsafe\nS2",
			content(top("\n\n", "\n\n", 1.), top("unsafe", "unsafe", 0.6, "safe", 0.4), top("\n", "\n", 1.)), 0.6, true},
		{"a guard in capitals", "unsafe", "safe", "Safe", content(top("Safe", "Safe", 0.5, "safe", 0.3, "Unsafe", 0.2)), 0.2, true},
		{"words in pieces", "unsafe", "safe", "unsafe", content(top("un", "un", 0.7, "safe", 0.3), top("safe", "safe", 1.)), 0.7,
			true},
		{"a common beginning", "Safety: Unsafe", "Safety: Safe", "Safety: Unsafe\nCategories: Jailbreak",
			content(top("Safety", "Safety", 1.), top(":", ":", 1.), top(" Unsafe", " Unsafe", 0.8, " Safe", 0.15, " Controversial",
				0.05)), 0.8 / 0.95, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, n := service(t, answering(tt.answer, tt.logprobs))
			e := judge(url)
			e.Chat.Positive, e.Chat.Negative = tt.positive, tt.negative
			d := open(t, e)
			got, err := d.Score(t.Context(), "text")
			if err != nil || math.Abs(got-tt.want) > 1e-12 || n.Load() != 1 {
				t.Fatalf("score %v, %v after %d requests, want %v", got, err, n.Load(), tt.want)
			}
			if without := strings.Contains(strings.Join(d.Report(), "\n"), "1 of 1 answers came without usable log-probabilities"); without == tt.sure {
				t.Errorf("report %q", d.Report())
			}
		})
	}
}

func TestAnswersThatTakeNoSideAreErrors(t *testing.T) {
	for _, tt := range []struct{ name, answer, want string }{
		{"a refusal", "I'm sorry, but I can't help with that.", `begins with neither "1" nor "0"`},
		{"empty", "", "the answer is empty"},
		{"space", " \n ", "the answer is empty"},
		{"another number", "10", "neither"},
		{"another digit", "2", "neither"},
		{"thoughts", "<think>1</think>", "neither"},
		{"a later line", "Answer:\n1", "neither"},
	} {
		d, n := serve(t, answering(tt.answer, ""))
		score, err := d.Score(t.Context(), "text")
		if err == nil || !strings.Contains(err.Error(), tt.want) || n.Load() != 1 {
			t.Errorf("%s: %v, %v after %d requests", tt.name, score, err, n.Load())
		}
		if err != nil && strings.Contains(err.Error(), "sorry") {
			t.Errorf("the answer stands in the row's error: %v", err)
		}
	}
	d, _ := serve(t, answering("I'm sorry, no", ""))
	if _, err := d.Score(t.Context(), "text"); err == nil || !strings.Contains(strings.Join(d.Report(), "\n"), `"I'm sorry, no"`) {
		t.Errorf("%v, report %q", err, d.Report())
	}
}

func TestGuardAnswersAreReadByTheirFirstWord(t *testing.T) {
	for answer, want := range map[string]side{
		"safe": positive, "unsafe\nS1": negative, " SAFE.": positive, "unsafe, S1": negative, "safely": neither, "un safe": neither,
		"not safe": neither, "unsafes": neither, "": neither, "un": neither,
	} {
		e := judge("http://127.0.0.1")
		e.Chat.Positive, e.Chat.Negative = "safe", "unsafe" // the other way round, as any pair of words
		if got := open(t, e).verdict(answer); got != want {
			t.Errorf("%q is side %d, want %d", answer, got, want)
		}
	}
}

// Whatever a server sends, a score is a probability and an error is one of the named ones.
func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"1"},"logprobs":{"content":[{"token":"1","logprob":-0.1,"top_logprobs":[]}]}}]}`))
	f.Add([]byte(`{"choices":[{"message":{"content":"un"},"logprobs":{"content":[{"token":"un","logprob":1e308}]}}]}`))
	f.Add([]byte(`{"choices":[{"message":{"refusal":"no"},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":-1}}`))
	f.Add([]byte(`{"choices":[{"message":{"content":"unsafe"},"logprobs":{"content":[{"token":"","top_logprobs":[{"token":"unsafe","logprob":0}]}]}}]}`))
	e := judge("http://127.0.0.1")
	e.Chat.Positive, e.Chat.Negative = "unsafe", "safe"
	d := open(f, e)
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &completion.Reply{}
		if json.Unmarshal(data, r) != nil || len(r.Choices) == 0 {
			return
		}
		score, sure, err := d.read(r)
		if err == nil && !(score >= 0 && score <= 1) || err != nil && (score != 0 || sure) {
			t.Errorf("score %v, %v, %v of %q", score, sure, err, data)
		}
		d.used.answer(r, sure, err)
		d.used.settle(r, 0, true)
		for _, line := range d.Report() {
			if strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("report line %q", line)
			}
		}
	})
}
