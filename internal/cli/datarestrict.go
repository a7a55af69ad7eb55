package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pidsbench/internal/atomicfile"
	"pidsbench/internal/fault"
	"pidsbench/internal/restrict"
)

func newDataRestrictCmd(st *State) *cobra.Command {
	return group(&cobra.Command{
		Use:   "restrict",
		Short: "Withhold restricted texts from a file, and put them back",
		Long: `Rows whose source begins with lmsys hold texts of LMSYS-Chat-1M, whose licence forbids passing them on.
fingerprint writes the SHA-256 of each such text into a last column text_sha256, strip blanks the texts, rebuild fills
them in again from your own copy of LMSYS-Chat-1M, verify tells how a file stands. One rule holds for any CSV file with
the columns text and source. Done twice, each does nothing more; what is wrong in a file is never written over.`,
		Example: `  pidsbench data restrict verify hard_benign_test.csv
  pidsbench data restrict rebuild hard_benign_test.csv --from ~/lmsys-chat-1m/data`,
	}, newRestrictFingerprintCmd(st), newRestrictStripCmd(st), newRestrictRebuildCmd(st), newRestrictVerifyCmd(st))
}

// registerOut adds --out, which a command for one file has.
func registerOut(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVar(out, "out", "", "the file to write (default: in place)")
}

func newRestrictFingerprintCmd(st *State) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "fingerprint FILE",
		Short: "Write the fingerprints of restricted texts beside them",
		Long: `Adds the column text_sha256 to a file, at its end, with the fingerprint of every restricted text: the
SHA-256 of the text without control characters and with each run of white space as one space. A fingerprint that is
there and is another one, and a blank text without one, end with exit status 3; nothing is written then.`,
		Example: "  pidsbench data restrict fingerprint hard_benign_test.csv --out fingerprinted.csv",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return st.restrict(args[0], out, func(f *restrict.File) (string, error) {
				added, err := f.Fingerprint()
				return fmt.Sprintf("%d fingerprints added", added), err
			})
		},
	}
	registerOut(cmd, &out)
	return cmd
}

func newRestrictStripCmd(st *State) *cobra.Command {
	var out, backup string
	cmd := &cobra.Command{
		Use:   "strip FILE",
		Short: "Blank restricted texts that have their fingerprint",
		Long: `Blanks the text of every restricted row. Each needs its fingerprint, and the right one; otherwise nothing is
written and the exit status is 3. No copy with the texts is left behind unless --backup names one.`,
		Example: "  pidsbench data restrict strip fingerprinted.csv --out public.csv",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return st.restrict(args[0], out, func(f *restrict.File) (string, error) {
				blanked, uneven, err := f.Strip()
				if err == nil && backup != "" && blanked > 0 {
					err = copyFile(st.abs(args[0]), st.abs(backup))
				}
				if err == nil && uneven > 0 {
					st.note("note: %d of the texts are laid out more freely than any that stays; a rebuild restores them up to "+
						"white space", uneven)
				}
				return fmt.Sprintf("%d texts blanked", blanked), err
			})
		},
	}
	registerOut(cmd, &out)
	cmd.Flags().StringVar(&backup, "backup", "", "a file to keep a copy of the original in, texts and all")
	return cmd
}

func newRestrictRebuildCmd(st *State) *cobra.Command {
	var out string
	var from []string
	cmd := &cobra.Command{
		Use:   "rebuild FILE",
		Short: "Fill withheld texts in from your own copy of LMSYS-Chat-1M",
		Long: `Puts back every text whose fingerprint is found among those of your copy: CSV, JSON Lines, JSON or Parquet
files, or folders of them. A file gives its column text or else, as the shards of LMSYS-Chat-1M do, the first user
message of its column conversation. Nothing is guessed, the order of the files does not matter, and they are read as
a stream. Rows whose text is not found stay blank: they are listed, what was found is written, and the exit status is
4.`,
		Example: "  pidsbench data restrict rebuild hard_benign_test.csv --from ~/lmsys-chat-1m/data\n" +
			"  pidsbench data restrict rebuild public.csv --from mine.csv --from more.jsonl --out whole.csv",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(from) == 0 {
				return fault.New(fault.Usage, "no file with the texts is named").
					WithCure("say where your copy of LMSYS-Chat-1M lies with --from")
			}
			return st.rebuild(cmd.Context(), args[0], out, from)
		},
	}
	registerOut(cmd, &out)
	cmd.Flags().StringArrayVar(&from, "from", nil, "a file or folder that holds the texts, repeatable (required)")
	return cmd
}

func newRestrictVerifyCmd(st *State) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE…",
		Short: "Tell how the restricted rows of files stand",
		Long: `Checks every fingerprint against its text and prints a line a file: complete (with or without fingerprints),
public form with so many texts withheld, or partly rebuilt. Text and fingerprint that do not go together, and a blank
without a fingerprint, end with exit status 3. Whether a whole file is the frozen one, pidsbench verify tells.`,
		Example: "  pidsbench data restrict verify hard_benign_test.csv structural_ood.csv",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var last error
			for _, name := range args {
				state, err := st.verifyRestricted(name)
				if err == nil {
					fmt.Fprintf(st.Stdout, "%s: %s\n", fault.Name(name), state)
					continue
				}
				if last != nil {
					st.logError(last)
				}
				last = err
			}
			return last
		},
	}
}

func (st *State) verifyRestricted(name string) (restrict.State, error) {
	f, err := st.openRestricted(name)
	if err != nil {
		return restrict.State{}, err
	}
	return f.Verify()
}

func (st *State) openRestricted(name string) (*restrict.File, error) {
	path := st.abs(name)
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".csv" {
		return nil, fault.New(fault.Usage, "%s has the extension %q, expected .csv", fault.Name(name), ext).
			WithCure("convert it first")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Usage, "%s does not exist", fault.Name(name)).WithCure("check the path")
	case err == nil && !info.Mode().IsRegular():
		return nil, fault.New(fault.Usage, "%s is not a regular file", fault.Name(name)).WithCure("name a file")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Failed, "%s cannot be read: %w", fault.Name(name), err)
	}
	return restrict.Parse(name, data, restrict.LMSYS)
}

// restrict works on a file and writes what has become of it, in one step. A file that has not changed is not written.
func (st *State) restrict(name, out string, work func(*restrict.File) (string, error)) error {
	if out != "" {
		if err := st.checkOut("out", out, nil); err != nil {
			return err
		}
	}
	f, err := st.openRestricted(name)
	if err != nil {
		return err
	}
	done, err := work(f)
	if err != nil {
		return err
	}
	state, err := f.Verify()
	if err != nil {
		return fmt.Errorf("after the work: %w", err)
	}
	if err := st.writeRestricted(f, name, out); err != nil {
		return err
	}
	fmt.Fprintf(st.Stdout, "%s: %s; %s\n", fault.Name(writtenTo(name, out)), done, state)
	return nil
}

func (st *State) rebuild(ctx context.Context, name, out string, from []string) error {
	if out != "" {
		if err := st.checkApart(out, from); err != nil {
			return err
		}
	}
	f, err := st.openRestricted(name)
	if err != nil {
		return err
	}
	r, err := f.Rebuild()
	if err != nil {
		return err
	}
	paths := make([]string, len(from))
	for i, p := range from {
		paths[i] = st.abs(p)
	}
	looked, err := r.Search(ctx, paths)
	if err != nil {
		return err
	}
	filled, blank := r.Fill()
	state, err := f.Verify()
	if err != nil {
		return fmt.Errorf("after the work: %w", err)
	}
	if err := st.writeRestricted(f, name, out); err != nil {
		return err
	}
	fmt.Fprintf(st.Stdout, "%s: %d texts filled in out of %d looked at; %s\n", fault.Name(writtenTo(name, out)), filled,
		looked, state)
	if len(blank) > 0 {
		return fault.New(fault.Incomplete, "%s: %d of %d withheld texts were not found: rows %s",
			fault.Name(writtenTo(name, out)), len(blank), filled+len(blank), someRows(blank)).
			WithCure("name the whole of LMSYS-Chat-1M with --from; run it again to fill in the rest")
	}
	return nil
}

// checkApart refuses an --out that is a file of --from, or lies in a folder of --from or is linked from there: the copy
// with the texts would be lost, or be read as more of it the next time.
func (st *State) checkApart(out string, from []string) error {
	if err := st.checkOut("out", out, from); err != nil {
		return err
	}
	there, outErr := os.Stat(st.abs(out))
	for _, folder := range from {
		found := false
		for dir := filepath.Dir(st.abs(out)); !found; dir = filepath.Dir(dir) {
			found = sameFile(dir, st.abs(folder))
			if dir == filepath.Dir(dir) {
				break
			}
		}
		if !found && outErr == nil {
			// What cannot be walked is told when it is read.
			_ = filepath.WalkDir(st.abs(folder)+string(filepath.Separator), func(p string, _ fs.DirEntry, err error) error {
				if err != nil {
					return nil
				}
				if info, err := os.Stat(p); err == nil && os.SameFile(info, there) {
					found = true
					return fs.SkipAll
				}
				return nil
			})
		}
		if found {
			return fault.New(fault.Usage, "--out %s lies in %s, whose files are read", fault.Name(out), fault.Name(folder)).
				WithCure("name a file outside of it")
		}
	}
	return nil
}

func writtenTo(name, out string) string {
	if out != "" {
		return out
	}
	return name
}

// writeRestricted writes the file to out or, in place, only when its bytes have changed.
func (st *State) writeRestricted(f *restrict.File, name, out string) error {
	var b strings.Builder
	if err := f.Encode(&b); err != nil {
		return err
	}
	path := st.abs(writtenTo(name, out))
	mode := fs.FileMode(0o666)
	if out == "" {
		old, err := os.ReadFile(path)
		if err == nil && string(old) == b.String() {
			return nil
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return fault.New(fault.Failed, "%s cannot be written: %w", fault.Name(name), err)
		}
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	err := atomicfile.Write(path, mode, func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
	if err != nil {
		if errors.Is(err, atomicfile.ErrNotRegular) {
			return notRegular(writtenTo(name, out))
		}
		return fault.New(fault.Failed, "%s cannot be written: %w", fault.Name(writtenTo(name, out)), bare(err)).
			WithCure("choose another --out")
	}
	return nil
}

// copyFile copies a file to a path where nothing is yet, readable by its owner only.
func copyFile(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fault.New(fault.Usage, "%s is there already", fault.Name(to)).WithCure("name another file with --backup")
	}
	data, err := os.ReadFile(from)
	if err == nil {
		err = atomicfile.Write(to, 0o600, func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	if err != nil {
		return fault.New(fault.Failed, "the copy %s cannot be made: %w", fault.Name(to), err).
			WithCure("name another file with --backup")
	}
	return nil
}

// someRows lists row numbers, at most ten of them.
func someRows(rows []int) string {
	const most = 10
	if len(rows) <= most {
		return joinInts(rows)
	}
	return fmt.Sprintf("%s and %d more", joinInts(rows[:most]), len(rows)-most)
}
