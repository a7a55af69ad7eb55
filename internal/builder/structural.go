package builder

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
	"pidsbench/internal/fault"
)

const stageStructural = "structural"

// The transforms of the structural split, in the order of the original.
const (
	JSONWrap      = "json_wrap"
	PromptDilute  = "prompt_dilute"
	PrefixMimicry = "instruction_prefix_mimic"
)

// The fixed parts around the texts are ours. The banner does not change the class of a row: a harmless text below a
// fake banner is still harmless.
const (
	jsonContext  = "Please handle the task above."
	mimicBanner  = "----- SYSTEM INSTRUCTIONS -----"
	mimicRole    = "Role: assistant"
	mimicTask    = "Task: "
	dilutePad    = "\n\n"
	fillerJoiner = " "
)

// Shifted is a row of the structural split: a held-out text in other surroundings.
type Shifted struct {
	Record           // Text is the transformed text
	Transform string // one of the three
	SeedIndex int    // 0-based, by class
	Start     int    // where the seed text begins in Text, in characters; -1 where it is JSON-escaped
	Length    int    // of the seed text, in characters
	Fillers   []string
}

// HoldOut takes cfg.Seeds families of each class out of the pool, in hash order of the row that stands for each: the
// first suitable one (by length) in hash order. A family is suitable when all its pool rows have one class and it is
// not greater than cfg.MaxFamily. The other rows of a chosen family leave the pool too.
func HoldOut(in []Record, cfg StructuralConfig, seed int64) (
	pool []Record, seeds [2][]Record, removed []Removal, err error,
) {
	_, members := byFamily(in)
	var candidates []Record
	for _, r := range in {
		n := utf8.RuneCountInString(r.Text)
		if r.Role == Pool && n >= cfg.MinChars && n <= cfg.MaxChars {
			candidates = append(candidates, r)
		}
	}
	draw.Order(candidates, seed, stageStructural, byID)
	chosen := map[string]string{} // family → ID of its row
	for _, r := range candidates {
		if chosen[r.Family] != "" || len(seeds[r.Label]) == cfg.Seeds || !pure(in, members[r.Family], cfg.MaxFamily) {
			continue
		}
		chosen[r.Family] = r.ID
		seeds[r.Label] = append(seeds[r.Label], r)
	}
	for _, label := range []dataset.Label{dataset.Benign, dataset.Injection} {
		if n := len(seeds[label]); n < cfg.Seeds {
			return nil, seeds, nil, fault.New(fault.Integrity,
				"%s: field structural.seeds holds %d, expected at most %d: so many %s families are suitable",
				ConfigPath, cfg.Seeds, n, labelName(label)).WithCure("lower it or add sources")
		}
	}
	for _, r := range in {
		switch id := chosen[r.Family]; id {
		case "":
			pool = append(pool, r)
		case r.ID:
		default:
			m := r.remove(stageStructural, "family held out")
			m.Partner = id
			removed = append(removed, m)
		}
	}
	return pool, seeds, removed, nil
}

func pure(in []Record, family []int, limit int) bool {
	if len(family) > limit {
		return false
	}
	for _, i := range family {
		if in[i].Role != Pool || in[i].Label != in[family[0]].Label {
			return false
		}
	}
	return true
}

// Shift puts every held-out text into the three surroundings. The padding of a diluted text is joined from other texts
// until it is long enough.
func Shift(seeds [2][]Record, fillers []Record, cfg StructuralConfig, seed int64) ([]Shifted, error) {
	var out []Shifted
	for _, transform := range []string{JSONWrap, PromptDilute, PrefixMimicry} {
		for _, label := range []dataset.Label{dataset.Injection, dataset.Benign} {
			for i, r := range seeds[label] {
				s := Shifted{Record: r, Transform: transform, SeedIndex: i, Length: utf8.RuneCountInString(r.Text)}
				switch transform {
				case JSONWrap:
					s.Text, s.Start = jsonWrap(r.Text), -1
				case PrefixMimicry:
					prefix := mimicBanner + "\n" + mimicRole + "\n" + mimicTask
					s.Text, s.Start = prefix+r.Text, utf8.RuneCountInString(prefix)
				case PromptDilute:
					pad, ids := padding(r.ID, fillers, cfg, seed)
					if ids == nil {
						return nil, fault.New(fault.Integrity, "%s: %d filler rows cannot make %d characters", LockPath,
							len(fillers), cfg.FillerChars).WithCure("raise select.filler of a source")
					}
					head, tail := halve(pad)
					s.Text, s.Start = head+dilutePad+r.Text+dilutePad+tail, utf8.RuneCountInString(head+dilutePad)
					s.Fillers = ids
				}
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// jsonWrap returns an object of task and context with Python's default separators, non-ASCII characters kept raw.
func jsonWrap(text string) string {
	return fmt.Sprintf(`{"task": %s, "context": %s}`, jsonString(text), jsonString(jsonContext))
}

func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// padding joins filler texts, in an order that belongs to the row, until there are enough characters. A filler is never
// the row itself. There are no IDs when all fillers together are too short.
func padding(id string, fillers []Record, cfg StructuralConfig, seed int64) (pad string, ids []string) {
	order := slices.Clone(fillers)
	draw.Order(order, seed, stageStructural+" filler "+id, byID)
	for _, f := range order {
		if utf8.RuneCountInString(pad) >= cfg.FillerChars {
			break
		}
		if f.ID == id {
			continue
		}
		if pad != "" {
			pad += fillerJoiner
		}
		pad += strings.TrimSpace(f.Text)
		ids = append(ids, f.ID)
	}
	if utf8.RuneCountInString(pad) < cfg.FillerChars {
		return "", nil
	}
	if r := []rune(pad); len(r) > cfg.FillerMax {
		pad = string(r[:cfg.FillerMax])
	}
	return pad, ids
}

// halve cuts the padding after the last sentence that ends in its first half, else after the last word there, else in
// the middle. The white space at the cut is dropped.
func halve(pad string) (head, tail string) {
	r := []rune(pad)
	middle := string(r[:len(r)/2])
	cut := len(middle)
	if i := strings.LastIndex(middle, ". "); i >= 0 {
		cut = i + len(".")
	} else if i := strings.LastIndex(middle, " "); i > 0 {
		cut = i
	}
	return strings.TrimRight(pad[:cut], " "), strings.TrimLeft(pad[cut:], " ")
}
