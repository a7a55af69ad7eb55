package disguise

import (
	"fmt"
	"strings"

	"pidsbench/internal/draw"
)

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
