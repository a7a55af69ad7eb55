package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/scores"
)

type publishOptions struct {
	data  dataOptions
	score scoreOptions
	from  string
	out   string
	fresh bool
}

func newScoresPublishCmd(st *State) *cobra.Command {
	var opts publishOptions
	cmd := &cobra.Command{
		Use:   "publish --detector ID",
		Short: "Put complete score files, gzipped, into the folder of published ones",
		Long: `Takes the score files of an edition from out/, checks that each is of the frozen splits and of the model files that
are here (or that the model's lock names), and that every row has a score, and writes them gzipped to results/, one
file a split, val included. Imported sets are taken along where they are scored. Nothing is written unless all is in
order; what is published already is left as it is.

Published scores are what report reads after out/, and what stands for a detector whose weights are not shipped.`,
		Example: `  pidsbench scores publish --detector deberta --seeds all
  pidsbench scores publish --detector all --seeds all --windows truncate`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(opts.data.checkExternal(), opts.score.check(cmd)); err != nil {
				return firstFault(err)
			}
			return runScoresPublish(cmd.Context(), st, cmd, &opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.data.edition, "edition", "open", "edition: open, v3, or the path of a folder with a FREEZE_MANIFEST.txt")
	f.StringVar(&opts.data.data, "data", "", "with --edition v3: the folder of that edition")
	opts.data.registerExternal(cmd)
	opts.score.registerSelection(cmd)
	f.StringVar(&opts.from, "scores", "out", "folder with the score files")
	f.StringVar(&opts.out, "out", "", "folder for the published ones (default: results in the project's folder)")
	f.BoolVar(&opts.fresh, "fresh", false, "replace other scores that are published under the same name")
	f.BoolVar(&st.Quiet, "quiet", false, "no notes on stderr")
	return cmd
}

// publisher is what a run of the command works with.
type publisher struct {
	st    *State
	frame *frame
	opts  *publishOptions
	out   string // absolute
}

// publication is one run of a detector with the splits to be published.
type publication struct {
	c      *candidate
	splits []editionSplit
}

type editionSplit struct {
	edition string
	data    *dataset.Split
}

func runScoresPublish(ctx context.Context, st *State, cmd *cobra.Command, opts *publishOptions) error {
	p, chosen, f, err := prepare(st, cmd, &opts.data, &opts.score)
	if err != nil {
		return err
	}
	if f.edition == ownEdition {
		return fault.New(fault.Usage, "scores of your own files are not published").WithCure("leave out --data")
	}
	if len(f.absent) > 0 {
		return fault.New(fault.Incomplete, "edition %s is not here as a whole: %s", f.edition, f.absent[0]).
			WithCure("put what is missing into the folder")
	}
	pub := &publisher{st: st, frame: f, opts: opts, out: p.path(publishedFolder)}
	if opts.out != "" {
		pub.out = st.abs(opts.out)
	}
	if sameFile(pub.out, st.abs(opts.from)) {
		return fault.New(fault.Usage, "--scores and --out are the same folder, %s", fault.Name(opts.from)).
			WithCure("name another folder with --out")
	}
	var todo []publication
	for _, c := range chosen {
		if !c.named && !slices.Contains(opts.score.detectors, "all") {
			continue // a baseline that stands in every table
		}
		found, err := pub.collect(p, c)
		if err != nil {
			return err
		}
		todo = append(todo, found...)
	}
	for _, write := range []bool{false, true} {
		for _, t := range todo {
			if err := pub.publish(ctx, t, write); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect lists what there is to publish of a detector. One of which nothing is scored is passed over unless the user
// named it.
func (pub *publisher) collect(p *project, s selected) ([]publication, error) {
	skip := func(why string) ([]publication, error) {
		if s.named {
			return nil, fault.New(fault.Incomplete, "detector %s cannot be published: %s", s.entry.ID, why)
		}
		pub.st.note("note: %s is passed over: %s", s.entry.ID, why)
		return nil, nil
	}
	if s.unavailable != "" {
		return skip(s.unavailable)
	}
	var out []publication
	scored := 0
	for _, seed := range s.seeds {
		c, err := p.candidate(pub.st, s.entry, seed)
		var absent *unavailableError
		if errors.As(err, &absent) {
			return skip(absent.reason)
		}
		if err != nil {
			return nil, err
		}
		t := publication{c: c}
		add := func(edition string, split *dataset.Split, must bool) error {
			_, err := pub.find(c, edition, split)
			switch {
			case err == nil:
				scored++
			case !errors.Is(err, fs.ErrNotExist):
				return err
			case !must:
				return nil
			}
			t.splits = append(t.splits, editionSplit{edition, split})
			return nil
		}
		if pub.frame.val != nil {
			if err := add(pub.frame.valEdition, pub.frame.val, true); err != nil {
				return nil, err
			}
		}
		for _, split := range pub.frame.here() {
			if err := add(pub.frame.editionOf(split), split.Data, !split.External || split.Asked); err != nil {
				return nil, err
			}
		}
		out = append(out, t)
	}
	if scored == 0 {
		return skip("it has no score files in " + fault.Name(pub.opts.from) + "; run `" +
			evalCommand(s.entry.ID, pub.opts.score.windows, "") + "`")
	}
	return out, nil
}

func (pub *publisher) find(c *candidate, edition string, split *dataset.Split) (string, error) {
	mode, err := pub.opts.score.mode()
	if err != nil {
		return "", err
	}
	return scores.Find([]string{pub.st.abs(pub.opts.from)}, edition, c.entry.ID, c.seed, mode, split.Name)
}

// publish checks the files of a run and what is published already, or writes what is not.
func (pub *publisher) publish(ctx context.Context, t publication, write bool) error {
	made := 0
	for _, split := range t.splits {
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := pub.read(t.c, split)
		if err != nil {
			return err
		}
		path := scores.Path(pub.out, file.Header) + ".gz"
		same, err := pub.there(path, file)
		switch {
		case err != nil:
			return err
		case same:
			continue
		}
		if made++; !write {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := file.WriteGzip(path); err != nil {
			return err
		}
	}
	if write {
		fmt.Fprintf(pub.st.Stdout, "%s: %d files, %d of them new\n", runName(t.c.entry, t.c.seed), len(t.splits), made)
	}
	return nil
}

// read returns a score file that may be published: of the split and the model as they are here, with a score a row.
func (pub *publisher) read(c *candidate, split editionSplit) (*scores.File, error) {
	path, err := pub.find(c, split.edition, split.data)
	if err != nil {
		return nil, err
	}
	file, err := scores.Read(path)
	if err != nil {
		return nil, err
	}
	want := pub.frame.identity(split.edition, split.data, c.entry, c.seed, pub.opts.score.windows)
	if err := file.Check(c.stamp(want, file.Header.Identity)); err != nil {
		return nil, recure(err, "run `"+evalRun(c.entry, c.seed, pub.opts.score.windows)+" --fresh`")
	}
	lacking, first := 0, 0
	for i, l := range file.Lines {
		if l.Scored() {
			continue
		}
		if lacking++; lacking == 1 {
			first = i
		}
	}
	if lacking > 0 {
		return nil, fault.New(fault.Incomplete, "%s: %d of %d rows have no score, the first of them row %d", path, lacking,
			len(file.Lines), file.Lines[first].Row).WithCure("run `%s` again", evalRun(c.entry, c.seed, pub.opts.score.windows))
	}
	return file, nil
}

// there reports whether the same scores are published already. Other ones are an error unless they are to be replaced.
func (pub *publisher) there(path string, file *scores.File) (bool, error) {
	plain := path[:len(path)-len(".gz")]
	if _, err := os.Lstat(plain); err == nil {
		return false, fault.New(fault.Integrity, "%s: is a score file that is not gzipped, which would be read in place of the "+
			"published one", plain).WithCure("move it away")
	}
	old, err := scores.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case pub.opts.fresh:
		return err == nil && old.SameScores(file), nil
	case err != nil:
		return false, err
	case !old.SameScores(file):
		return false, fault.New(fault.Integrity, "%s: other scores are published under this name", path).
			WithCure("give --fresh to replace them")
	}
	return true, nil
}
