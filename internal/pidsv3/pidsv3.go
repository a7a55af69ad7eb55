// Package pidsv3 reads the prediction files of the original benchmark: CSV files with a score for every row of a split,
// in the folder of a run. Their rows have no number; they stand in the order of the split.
//
// Read are, by their names (SPLIT in the original's spellings):
//
//	SPLIT_predictions.csv, SPLIT_probability_scores.csv   trained baselines and eval/generate_probability_scores.py
//	prob_cache/SLUG_SPLIT.csv                             external detectors, threshold tuning
//	SPLIT.csv                                             external detectors, multi-axis, if it holds scores or decisions
//
// Everything else in the folder is left alone.
package pidsv3

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// Run is what one folder says of one detector at one seed.
type Run struct {
	Dir      string
	Detector string // by the name of the folder: lower-case letters, digits, dots, dashes and underscores
	Seed     int
	SeedSaid bool // the folder's name gives the seed; otherwise it is DefaultSeed

	Predictions []*Prediction // sorted by split
}

// DefaultSeed is the seed of the original's runs whose folder does not name one.
const DefaultSeed = 42

// spellings gives the split that a name in a prediction file's name stands for. The train split is never evaluated.
var spellings = map[string]string{
	"val": "val", "test": "test", "heldout_test": "test",
	"hard_benign": "hard_benign_test", "hard_benign_test": "hard_benign_test",
	"balanced_subtype": "balanced_subtype_test", "balanced_subtype_test": "balanced_subtype_test",
	"obfuscated": "obfuscated_attacks", "obfuscated_attacks": "obfuscated_attacks",
	"domain_ood": "domain_ood", "structural_ood": "structural_ood",
}

var (
	seedFolder = regexp.MustCompile(`^seed[_-]?([+-]?\d+)$`)
	caches     = []string{"baseline_probs_cache", "score_cache"} // copies of other runs' scores
)

// Find reads all prediction files in a folder and below. Notes are sentences about what was passed over. A folder
// without any is a usage error; a prediction file that is malformed, and two files of a run that give a split other
// scores, are integrity errors.
func Find(dir string) (runs []*Run, notes []string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, fault.New(fault.Usage, "%s is no folder", fault.Name(dir)).
			WithCure("name the folder of a run, or the original's outputs folder")
	}
	byKey := map[string]*Run{}
	// The separator makes the walk begin behind a link to the folder.
	err = filepath.WalkDir(dir+string(filepath.Separator), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fault.New(fault.Failed, "%s cannot be read: %w", fault.Name(path), err)
		case e.IsDir() && slices.Contains(caches, e.Name()):
			return fs.SkipDir
		case !e.Type().IsRegular() || filepath.Ext(path) != ".csv":
			return nil
		}
		split, slug, sure := splitOf(path)
		if split == "" {
			return nil
		}
		p, err := read(path, split, sure)
		if p == nil {
			return err
		}
		if err != nil {
			return err
		}
		run, err := newRun(filepath.Dir(path), slug)
		if err != nil {
			return err
		}
		key := run.Dir + "\x00" + run.Detector
		if byKey[key] == nil {
			byKey[key] = run
			runs = append(runs, run)
		}
		note, err := byKey[key].add(p)
		if note != "" {
			notes = append(notes, note)
		}
		return err
	})
	if err == nil && len(runs) == 0 {
		err = fault.New(fault.Usage, "%s holds no prediction file of the original, such as test_predictions.csv",
			fault.Name(dir)).WithCure("name the folder of a run, or the original's outputs folder")
	}
	return runs, notes, err
}

// splitOf tells by its name of which split a file is, "" when it is no prediction file. In a folder of caches the
// detector's slug stands before the split. sure is false when only the columns can tell.
func splitOf(path string) (split, slug string, sure bool) {
	stem := strings.TrimSuffix(filepath.Base(path), ".csv")
	for _, suffix := range []string{"_predictions", "_probability_scores"} {
		if name, ok := strings.CutSuffix(stem, suffix); ok {
			return spellings[name], "", true
		}
	}
	if filepath.Base(filepath.Dir(path)) == "prob_cache" {
		for name := range spellings { // the longest name that fits
			if s, ok := strings.CutSuffix(stem, "_"+name); ok && s != "" && (slug == "" || len(s) < len(slug)) {
				split, slug = spellings[name], s
			}
		}
		return split, slug, true
	}
	return spellings[stem], "", false
}

// MostSeed is the greatest seed that a folder may name.
const MostSeed = 999_999_999

func newRun(dir, slug string) (*Run, error) {
	r := &Run{Dir: dir, Seed: DefaultSeed}
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	name := filepath.Base(abs)
	if m := seedFolder.FindStringSubmatch(name); m != nil {
		if r.Seed, err = strconv.Atoi(m[1]); err != nil || r.Seed < 0 || r.Seed > MostSeed {
			return nil, fault.New(fault.Integrity, "the folder %s names the seed %s, expected 0 to %d", fault.Name(dir),
				fault.Name(m[1]), MostSeed).WithCure("rename it")
		}
		r.SeedSaid = true
		name = filepath.Base(filepath.Dir(abs))
	}
	if slug != "" {
		name = slug
	}
	r.Detector = plain(name)
	return r, nil
}

// plain makes a detector's id of a name.
func plain(name string) string {
	id := strings.TrimLeft(strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
			return c
		}
		return '-'
	}, strings.ToLower(name)), ".-")
	if id == "" {
		return "run"
	}
	return id
}

// add takes a file into the run. Two files of one split have to say the same.
func (r *Run) add(p *Prediction) (note string, err error) {
	at, twice := slices.BinarySearchFunc(r.Predictions, p, func(a, b *Prediction) int {
		return strings.Compare(a.Split, b.Split)
	})
	if !twice {
		r.Predictions = slices.Insert(r.Predictions, at, p)
		return "", nil
	}
	old := r.Predictions[at]
	if row := old.differs(p); row >= 0 {
		return "", fault.New(fault.Integrity, "%s and %s are both of split %s and differ in row %d", fault.Name(old.Path),
			fault.Name(p.Path), p.Split, row).WithCure("move the wrong one out of the folder")
	}
	return fault.Name(p.Path) + " holds the scores of " + filepath.Base(old.Path) + " once more and is passed over", nil
}

// OutputPath returns the path under which the original's manifest would list a file of the run: below outputs/.
func (r *Run) OutputPath(p *Prediction) string {
	abs, err := filepath.Abs(r.Dir)
	if err != nil {
		abs = r.Dir
	}
	parts := strings.Split(filepath.ToSlash(abs), "/")
	from := len(parts) - 1
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "outputs" {
			from = i + 1
			break
		}
	}
	return "outputs/" + strings.Join(parts[from:], "/") + "/" + filepath.Base(p.Path)
}
