package builder

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"pidsbench/internal/authored"
	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/grammar"
	"pidsbench/internal/paraphrase"
)

const stageAuthored = "authored"

// Sources of texts of our own. They rank behind the sources of the lock: of two equal texts the third-party one stays.
const (
	TemplateSource = "template" // what a frame gives
	WrittenSource  = "written"  // texts that were written one by one
	CarrierSource  = "carrier"  // documents of ours, and documents with a text of ours in or around them
)

// OwnSources lists them in order.
var OwnSources = []string{TemplateSource, WrittenSource, CarrierSource}

// OwnLicence is that of this repository, and so of its texts.
const OwnLicence = "Apache-2.0"

// own is what makes records of our texts.
type own struct {
	rank int // of the first source of ours
	seen map[string]string
	out  []Record
}

func (o *own) add(source, file string, t authored.Text, use Role) error {
	r := Record{
		ID: recordID(source, t.Class(), t.Text), Text: t.Text, Label: t.Class(), Source: source,
		Rank: o.rank + slices.Index(OwnSources, source), Role: use, Language: t.Language, Authorship: t.Authorship,
		License: OwnLicence, Frame: frameID(source, file, t.ID), Own: true, Domain: t.Domain, Obfuscation: "none",
	}
	if source == CarrierSource {
		r.Carrier = r.Frame
	}
	if use == Curated || use == HardNegative {
		if r.Label != dataset.Benign {
			return fault.New(fault.Integrity, "%s:%d: %s: field label holds injection, expected benign in a file for %s",
				file, t.Line, t.ID, use).WithCure("move it to another file")
		}
		r.Topic = t.Domain // the family of hard-benign texts
	}
	if r.Label == dataset.Injection {
		r.AttackType, r.AttackRule = t.Subtype, "authored"
	}
	if first, ok := o.seen[r.ID]; ok {
		return fault.New(fault.Integrity, "%s:%d: %s gives a text that %s gives too, expected each text once", file,
			t.Line, t.ID, first).WithCure("make the texts differ")
	}
	o.seen[r.ID] = r.Frame
	o.out = append(o.out, r)
	return nil
}

// Authored reads the texts of our own: frames, expanded, texts and clean documents. rank is that of the first source of
// ours.
func Authored(root string, files AuthoredConfig, rank int, seed int64) ([]Record, error) {
	o := own{rank: rank, seen: map[string]string{}}
	for _, a := range files.Frames {
		f, err := grammar.Load(root, a.File)
		if err != nil {
			return nil, err
		}
		texts, err := grammar.Expand(f, a.PerFrame, seed)
		if err != nil {
			return nil, err
		}
		lines := map[string]int{}
		for _, frame := range f.Frames {
			lines[frame.ID] = frame.Line
		}
		for _, t := range texts {
			text := authored.Text{ID: t.Frame, Text: t.Text, Line: lines[t.Frame], Description: t.Description}
			if err := o.add(TemplateSource, a.File, text, a.Use); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range files.Texts {
		texts, err := authored.LoadTexts(root, a.File)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			if err := o.add(WrittenSource, a.File, t, a.Use); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range files.Documents {
		c, err := authored.LoadCarriers(root, a.File)
		if err != nil {
			return nil, err
		}
		for _, d := range c.Documents {
			if err := o.add(CarrierSource, a.File, d.Text, a.Use); err != nil {
				return nil, err
			}
		}
	}
	canonical(o.out)
	return o.out, nil
}

// frameID names a frame, text or document among those of all files.
func frameID(source, file, id string) string {
	return source + "/" + strings.TrimSuffix(path.Base(file), path.Ext(file)) + "/" + id
}

// files names the authored files.
func (a AuthoredConfig) files() (out []string) {
	for _, f := range a.Frames {
		out = append(out, f.File)
	}
	for _, f := range slices.Concat(a.Texts, a.Documents) {
		out = append(out, f.File)
	}
	return out
}

// authoredPaths are the files below the folders of the authored files: a frame may include what its neighbours share.
func (c *Config) authoredPaths(root string) (out []string, err error) {
	dirs := map[string]bool{}
	for _, file := range c.Authored.files() {
		dir := path.Dir(file)
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
func rewording(root string, seed int64) func(context.Context, []Record, int) ([]Record, error) {
	return func(ctx context.Context, seeds []Record, times int) ([]Record, error) {
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
			paraphrase.Options{Rounds: times, Tries: rewordTries, Workers: 2})
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
