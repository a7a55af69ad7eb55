package builder

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/grammar"
	"pidsbench/internal/paraphrase"
)

const stageTemplates = "templates"

// TemplateSource is the source of every text that a frame of ours gives.
const TemplateSource = "template"

// OwnLicence is that of this repository, and so of its texts.
const OwnLicence = "Apache-2.0"

// Templates expands the authored frames, so many texts each. The rank puts them behind the sources of the lock: of two
// equal texts the third-party one stays.
func Templates(root string, files []AuthoredFile, rank int, seed int64) ([]Record, error) {
	var out []Record
	seen := map[string]bool{}
	for _, a := range files {
		f, err := grammar.Load(root, a.File)
		if err != nil {
			return nil, err
		}
		texts, err := grammar.Expand(f, a.PerFrame, seed)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			r := Record{
				ID: recordID(TemplateSource, t.Label, t.Text), Text: t.Text, Label: t.Label, Source: TemplateSource, Rank: rank,
				Role: a.Use, Language: t.Language, Authorship: t.Authorship, License: OwnLicence,
				Frame: frameID(a.File, t.Frame), Domain: t.Domain, Obfuscation: "none",
			}
			if a.Use == Curated || a.Use == HardNegative {
				r.Topic = t.Domain // the family of hard-benign frames
			}
			if t.Label == dataset.Injection {
				r.AttackType, r.AttackRule = t.Subtype, "authored"
			}
			if seen[r.ID] {
				return nil, fault.New(fault.Integrity, "%s: frame %s gives a text that another frame gives too", a.File, t.Frame).
					WithCure("make the frames differ")
			}
			seen[r.ID] = true
			out = append(out, r)
		}
	}
	canonical(out)
	return out, nil
}

// frameID names a frame among those of all files.
func frameID(file, frame string) string {
	return TemplateSource + "/" + strings.TrimSuffix(path.Base(file), path.Ext(file)) + "/" + frame
}

// authoredPaths are the files below the folders of the authored frames: a frame may include what its neighbours share.
func (c *Config) authoredPaths(root string) (out []string, err error) {
	dirs := map[string]bool{}
	for _, a := range c.Authored {
		dir := path.Dir(a.File)
		if dirs[dir] {
			continue
		}
		dirs[dir] = true
		err := fs.WalkDir(os.DirFS(root), dir, func(p string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				out = append(out, p)
			}
			return err
		})
		if err != nil {
			return nil, fault.New(fault.Usage, "%s: field authored: cannot read %s: %w", ConfigPath, dir, err).
				WithCure("restore the folder from the repository")
		}
	}
	return out, nil
}

// rewording returns the function that rewords seeds by rules, with no connection to anything.
func rewording(root string, cfg ParaphraseConfig, seed int64) func(context.Context, []Record) ([]Record, error) {
	return func(ctx context.Context, seeds []Record) ([]Record, error) {
		rules, err := paraphrase.LoadRules(root, paraphrasePath)
		if err != nil {
			return nil, err
		}
		byID := map[string]Record{}
		in := make([]paraphrase.Seed, len(seeds))
		for i, r := range seeds {
			byID[r.ID] = r
			in[i] = paraphrase.Seed{ID: r.ID, Text: r.Text, Language: r.Language}
		}
		report, err := paraphrase.Run(ctx, paraphrase.NewByRules(rules, seed), rules, in,
			paraphrase.Options{Rounds: cfg.Rounds, Tries: rewordTries, Workers: 2})
		if err != nil {
			return nil, err
		}
		var out []Record
		for _, p := range report.Paraphrases {
			r := byID[p.SeedID]
			r.Parent, r.Round, r.Generator, r.Text = r.ID, p.Round, p.GeneratorModel, p.Text
			r.AttackSpan = nil // it lies in the text of the seed
			r.ID = recordID(r.Source, r.Label, r.Text)
			out = append(out, r)
		}
		return out, nil
	}
}

// rewordTries is how often a rewording is tried that the checks refuse.
const rewordTries = 4
