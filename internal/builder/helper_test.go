package builder

import (
	"fmt"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
)

// pool makes a benign or injection record of a source of prompts.
func pool(label dataset.Label, text string) Record {
	return Record{
		ID: recordID("ours", label, text), Text: text, Label: label, Source: "ours", Role: Pool, Language: "en",
		Authorship: "human", License: "MIT", Obfuscation: "none",
	}
}

func ids(records []Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = r.ID
	}
	return out
}

func textsOf(records []Record) []string {
	out := texts(records)
	slices.Sort(out)
	return out
}

// reasons counts removals by reason.
func reasons(removed []Removal) map[string]int {
	out := map[string]int{}
	for _, r := range removed {
		out[r.Reason]++
	}
	return out
}

var nouns = strings.Fields(`anchor bottle candle dolphin engine feather garden hammer island jacket kettle ladder mirror
	needle orchard pencil quarry ribbon saddle tunnel umbrella village window zebra basket copper desert falcon`)

// sentences makes n texts that are alike to nobody: words of the n-th text are drawn from its own stream.
func sentences(n int, purpose string) []string {
	out := make([]string, n)
	for i := range out {
		d := draw.New(1, purpose, fmt.Sprint(i))
		words := make([]string, 6+d.Below(6))
		for k := range words {
			words[k] = nouns[d.Below(len(nouns))] + string(rune('a'+d.Below(26))) + string(rune('a'+d.Below(26)))
		}
		out[i] = strings.Join(words, " ")
	}
	return out
}
