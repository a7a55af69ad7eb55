package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"pidsbench/tools/inventory"
)

// writeNotices writes what must go along with a release: what others made of it, under which licence, and the texts of
// those licences, each once with the components it stands with.
func writeNotices(out io.Writer, verdicts []inventory.Verdict) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, "Third-party software in this release. What is not listed here is under the licence in LICENSE.\n\n")
	var order []string
	holders := map[string][]string{}
	for _, v := range verdicts {
		if !v.Shipped || v.Kind == inventory.Model {
			continue
		}
		fmt.Fprintf(w, "%s %s (%s): %s\n", v.Name, v.Version, v.Kind, v.Licence)
		for _, t := range v.Texts {
			body := strings.TrimSpace(strings.ReplaceAll(string(t.Body), "\r\n", "\n"))
			if holders[body] == nil {
				order = append(order, body)
			}
			if holder := v.Name + " " + v.Version; !slices.Contains(holders[body], holder) {
				holders[body] = append(holders[body], holder)
			}
		}
	}
	for _, body := range order {
		fmt.Fprintf(w, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 100), strings.Join(holders[body], ", "), body)
	}
	return w.Flush()
}
