package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/detect"
	"pidsbench/internal/scores"
)

// importedKind marks detectors that are known by their score files alone: other tools ran them.
const importedKind = "imported"

// importedEntry is the entry that stands for a detector whose scores were imported.
func importedEntry(id string) detect.Entry {
	return detect.Entry{ID: id, Name: id, Kind: importedKind}
}

var seedDir = regexp.MustCompile(`^seed-(\d{1,9})$`)

// addImported makes detectors whose scores for an edition were imported known beside the configured ones. Folders are
// those a reading command looks in; what is unreadable there is met again when its scores are read.
func (p *project) addImported(dirs []string, edition string) {
	seeds := map[string][]int{}
	var ids []string
	for _, dir := range dirs {
		found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), edition, "*", "seed-*", "*", "*.jsonl*"))
		for _, path := range found {
			run := filepath.Dir(filepath.Dir(path))
			id := filepath.Base(filepath.Dir(run))
			m := seedDir.FindStringSubmatch(filepath.Base(run))
			if m == nil || strings.HasSuffix(path, ".part") || p.configured(id) {
				continue
			}
			seed, _ := strconv.Atoi(m[1])
			if slices.Contains(seeds[id], seed) {
				continue
			}
			e := importedEntry(id)
			if file, err := scores.Read(path); err != nil || file.Header.Detector != id || file.Header.ConfigHash != e.Hash() {
				continue
			}
			if seeds[id] == nil {
				ids = append(ids, id)
			}
			seeds[id] = append(seeds[id], seed)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		e := importedEntry(id)
		e.Seeds = seeds[id]
		slices.Sort(e.Seeds)
		p.detectors.Detectors = append(p.detectors.Detectors, e)
	}
}

func (p *project) configured(id string) bool {
	return slices.ContainsFunc(p.detectors.Detectors, func(e detect.Entry) bool { return e.ID == id })
}

// escapeGlob makes a pattern that matches only the path itself.
func escapeGlob(path string) string {
	if os.PathSeparator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
