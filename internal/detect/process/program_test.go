package process

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asProgram makes the test binary run as a detector; its value says how it behaves.
const asProgram = "PIDSBENCH_TEST_DETECTOR"

func TestMain(m *testing.M) {
	if how := os.Getenv(asProgram); how != "" {
		os.Exit(program(how))
	}
	os.Exit(m.Run())
}

type asked struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

// program is a detector with some manners. It answers with the length of the text in thousandths, once it is past the
// words that make it misbehave: a text that begins with one of them, whatever its manners are.
func program(how string) int {
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	name, value, _ := strings.Cut(how, "=")
	switch name {
	case "ready":
		say(`{"ready":true,"name":"test","version":%q}`, value)
	case "late":
		time.Sleep(300 * time.Millisecond)
	case "chatter":
		say("Loading the model …")
	case "early":
		say(`{"id":1,"score":0.5}`)
	case "broken":
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\n  File \"x.py\", line 1\nImportError: no \x1b[31mmodule")
		return 3
	case "deaf":
		os.Stdin.Close()
		say(`{"ready":true}`)
		time.Sleep(time.Minute)
	case "silent":
		time.Sleep(time.Minute)
	case "slow":
		time.Sleep(400 * time.Millisecond)
		say(`{"ready":true}`)
	}
	status, _ := strconv.Atoi(value)
	if name != "status" {
		status = 0
	}
	var held []asked // for the one that answers in reverse
	in := bufio.NewReader(os.Stdin)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if name == "stays" {
				time.Sleep(time.Minute)
			}
			return status
		}
		var q asked
		if err := json.Unmarshal(line, &q); err != nil {
			return 9
		}
		answer := func(q asked) { say(`{"id":%d,"score":%g}`, q.ID, float64(len(q.Text))/1000) }
		word, rest, _ := strings.Cut(q.Text, " ")
		switch word {
		case "crash":
			fmt.Fprintln(os.Stderr, "ValueError: the text is "+rest)
			return 1
		case "hang":
			time.Sleep(time.Minute)
		case "crash-once": // rest names a file that remembers
			if _, err := os.Stat(rest); err != nil {
				os.WriteFile(rest, nil, 0o666)
				return 1
			}
			answer(q)
		case "say": // rest is the answer, %d its id
			say(strings.ReplaceAll(rest, "%d", strconv.FormatInt(q.ID, 10)))
		case "echo": // the text itself, to see what has come through
			b, _ := json.Marshal(q.Text)
			say(`{"id":%d,"error":%s}`, q.ID, b)
		case "getenv":
			say(`{"id":%d,"error":%q}`, q.ID, os.Getenv(rest))
		case "getwd":
			dir, _ := os.Getwd()
			say(`{"id":%d,"error":%q}`, q.ID, dir)
		case "pid":
			say(`{"id":%d,"error":"pid %d"}`, q.ID, os.Getpid())
		case "held":
			held = append(held, q)
			if strconv.Itoa(len(held)) == rest {
				for i := range held {
					answer(held[len(held)-1-i])
				}
				held = nil
			}
		default:
			answer(q)
		}
		if name == "quits" && strconv.Itoa(n) == value {
			return 0
		}
	}
}
