package builder

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// readConversations reads an object of conversations by id, each a list of turns, each a list of messages. A turn, its
// messages joined by a space, is one row; the conversation is its carrier. Of transcripts a conversation is one row,
// its turns the lines of A and B in alternation, and its carrier that of the source that holds the turns.
func readConversations(s *Source, path string, data []byte) ([]Item, error) {
	var all map[string]struct {
		Messages [][]struct {
			Text string `json:"text"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, s.malformed(path, "JSON", err.Error(), "an object of conversations")
	}
	var items []Item
	for id, conversation := range all {
		var lines []string
		for n, turn := range conversation.Messages {
			parts := make([]string, len(turn))
			for i, m := range turn {
				parts[i] = m.Text
			}
			text := strings.Join(parts, " ")
			if s.Format == "transcripts" {
				lines = append(lines, "AB"[n%2:n%2+1]+": "+strings.Join(strings.Fields(text), " "))
				continue
			}
			items = append(items, Item{Text: text, Label: s.Label.constant(), Carrier: s.ID + "/" + id})
		}
		if s.Format == "transcripts" {
			items = append(items, Item{Text: strings.Join(lines, "\n"), Label: s.Label.constant(),
				Carrier: s.Carrier + "/" + id})
		}
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Carrier, b.Carrier), cmp.Compare(a.Text, b.Text))
	})
	return items, nil
}

// readDialogues reads lists of lines that two speakers say in turn. The lines of the first, who is the user, are rows.
func readDialogues(s *Source, path string, data []byte) ([]Item, error) {
	var file struct {
		Conversations []any `yaml:"conversations"`
	}
	if err := decodeYAML(data, &file); err != nil {
		return nil, s.malformed(path, "YAML", err.Error(), "a list of conversations")
	}
	var items []Item
	for _, conversation := range file.Conversations {
		lines, _ := conversation.([]any) // one of a single line is no conversation
		for i := 0; i < len(lines); i += 2 {
			if text, ok := lines[i].(string); ok {
				items = append(items, Item{Text: text, Label: s.Label.constant(),
					Language: s.Languages.Folder[folder(path)]})
			}
		}
	}
	return items, nil
}
