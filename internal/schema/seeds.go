package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/fault"
)

// seedTexts are the texts that rows in other surroundings must give back.
type seedTexts struct {
	files map[string]map[string]string // texts by row_id of the files that hold them plain
	first map[string]string            // what the first row of each row_id gave back, in whatever surroundings
}

// seeds reads the files that others name as their seeds.
func (s *Schema) seeds(tables []Table) *seedTexts {
	out := &seedTexts{map[string]map[string]string{}, map[string]string{}}
	for _, f := range s.Files {
		if f.Seeds == "" {
			continue
		}
		for _, t := range tables {
			if t.Name != f.Seeds {
				continue
			}
			texts := map[string]string{}
			for _, rec := range t.Records {
				r := row{map[string]int{}, rec}
				for i, name := range t.Header {
					r.at[name] = i
				}
				id, _ := r.get("row_id")
				texts[id], _ = r.get("text")
			}
			out.files[f.Seeds] = texts
		}
	}
	return out
}

// compare says why a row in other surroundings does not give back its seed: the text of that row_id in the file of
// seeds, where there is one, and what other rows of that row_id give back.
func (s *seedTexts) compare(r row, file string) string {
	text, _ := r.get("text")
	transform, _ := r.get("transform_type")
	start, _ := r.get("seed_start")
	length, _ := r.get("seed_length")
	id, ok := r.get("row_id")
	seed, err := recoverSeed(transform, text, start, length)
	if err != nil {
		return err.Error()
	}
	if !ok {
		return ""
	}
	if texts, ok := s.files[file]; ok {
		switch want, ok := texts[id]; {
		case !ok:
			return fmt.Sprintf("gives back the seed %s, which is not in %s", fault.Quote(id), file)
		case want != seed:
			return fmt.Sprintf("gives back %s, expected the text of %s in %s", fault.Quote(seed), fault.Quote(id), file)
		}
	}
	if want, ok := s.first[id]; ok && want != seed {
		return fmt.Sprintf("gives back %s, expected what the other rows of %s give back", fault.Quote(seed), fault.Quote(id))
	}
	s.first[id] = seed
	return ""
}

// recoverSeed returns the text inside other surroundings: the task of a JSON object, or the characters from start on.
func recoverSeed(transform, text, start, length string) (string, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n < 1 {
		return "", fmt.Errorf("has the seed_length %s, expected a whole number above 0", fault.Quote(length))
	}
	if transform == "json_wrap" {
		if start != "" {
			return "", fmt.Errorf("has the seed_start %s although the seed is a JSON value, expected none", fault.Quote(start))
		}
		return jsonTask(text, n)
	}
	from, err := strconv.Atoi(start)
	if err != nil || from < 0 {
		return "", fmt.Errorf("has the seed_start %s, expected a whole number", fault.Quote(start))
	}
	runes := []rune(text)
	if from > len(runes) || n > len(runes)-from {
		return "", fmt.Errorf("has %d characters, expected at least the %d that seed_start and seed_length reach",
			len(runes), from+n)
	}
	return string(runes[from : from+n]), nil
}

// jsonTask returns the task of a JSON object that holds a task of n characters, a context and nothing else.
func jsonTask(text string, n int) (string, error) {
	var object struct {
		Task    *string `json:"task"`
		Context *string `json:"context"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&object); err != nil {
		return "", fmt.Errorf("is no JSON object of task and context: %s", fault.Line(err.Error()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("has something behind its JSON object")
	}
	if object.Task == nil || object.Context == nil {
		return "", errors.New("lacks task or context in its JSON object")
	}
	if got := utf8.RuneCountInString(*object.Task); got != n {
		return "", fmt.Errorf("holds a task of %d characters, expected seed_length, which is %d", got, n)
	}
	return *object.Task, nil
}
