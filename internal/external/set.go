package external

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// Schema names the layout of set.yaml.
const Schema = "pidsbench-external/1"

// Set is set.yaml: what an imported set is and where it comes from.
type Set struct {
	Schema       string   `yaml:"schema"`
	Name         string   `yaml:"name"`
	Axis         string   `yaml:"axis"`       // custom or hard_benign
	Provenance   string   `yaml:"provenance"` // hard-benign, or ""
	Mapping      string   `yaml:"mapping"`    // the mapping's name, or "" when columns were named
	Classes      []string `yaml:"classes"`    // the rule by which rows have their class, in words
	Licence      string   `yaml:"licence"`
	LicenceClass string   `yaml:"licence_class"`
	Language     string   `yaml:"language"`
	Citation     string   `yaml:"citation"`
	Origins      []Origin `yaml:"origins"`
	Slices       []string `yaml:"slices"` // columns of rows.csv by which tables may be broken down
	Benign       int      `yaml:"benign"`
	Injection    int      `yaml:"injection"`
	Rejected     []Reason `yaml:"rejected"`
	RowsSHA256   string   `yaml:"rows_sha256"`
}

// Origin is a file that rows come from, or a pinned package.
type Origin struct {
	Name    string   `yaml:"name"`
	SHA256  string   `yaml:"sha256"`
	Rows    int      `yaml:"rows"`              // as the file has them
	Files   int      `yaml:"files,omitempty"`   // of a package: how many of its files were read
	Members []string `yaml:"members,omitempty"` // of a package: the patterns that were asked for
}

// Reason counts the rows that are left out for one reason.
type Reason struct {
	Reason string `yaml:"reason"`
	Rows   int    `yaml:"rows"`
}

// Spec says what the set measures, as an edition says it of its splits.
func (s *Set) Spec() dataset.SplitSpec {
	spec := dataset.SplitSpec{Name: s.Name, Path: s.Name + "/" + rowsFile, Axis: dataset.Axis(s.Axis),
		Slices: map[string]string{}}
	for _, name := range s.Slices {
		spec.Slices[name] = name
	}
	if s.Provenance == HardBenign {
		spec.Slices["provenance"] = "provenance"
	}
	return spec
}

// Rows returns the number of rows of the set.
func (s *Set) Rows() int { return s.Benign + s.Injection }

// writeRejects writes an object a line.
func writeRejects(w io.Writer, rejects []reject) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, r := range rejects {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// files returns the set and the contents of its files.
func (c *collection) files(origins []Origin) (*Set, map[string][]byte, error) {
	m := c.mapping
	set := &Set{Schema: Schema, Name: c.name, Axis: string(axis(m.Provenance)), Provenance: m.Provenance, Mapping: m.Name,
		Classes: []string{}, Licence: m.Licence, LicenceClass: m.Class, Language: m.Language, Citation: m.Citation,
		Origins: origins, Slices: append([]string{}, c.slices...), Rejected: append([]Reason{}, c.reasons()...)}
	slices.SortFunc(set.Origins, func(a, b Origin) int { return strings.Compare(a.Name, b.Name) })
	for _, r := range c.usedRules() {
		set.Classes = append(set.Classes, r.inWords())
	}
	languages := map[string]bool{}
	for _, r := range c.rows {
		languages[r.language] = true
		if r.label == dataset.Injection {
			set.Injection++
		} else {
			set.Benign++
		}
	}
	if len(languages) > 1 {
		set.Slices = append(set.Slices, "language")
	}
	if m.Provenance == HardBenign && set.Injection > 0 {
		return nil, nil, fault.New(fault.Usage, "the set holds %d injection rows, a hard-benign provenance holds none",
			set.Injection).WithCure("leave out --provenance, or select the benign rows with --where")
	}
	var rows, rejects bytes.Buffer
	header, records := c.csv()
	if err := dataset.WriteCSV(&rows, header, records); err != nil {
		return nil, nil, err
	}
	if err := writeRejects(&rejects, c.rejects); err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(rows.Bytes())
	set.RowsSHA256 = hex.EncodeToString(sum[:])
	text, err := yaml.Marshal(set)
	if err != nil {
		return nil, nil, fault.New(fault.Failed, "cannot write %s: %w", setFile, err)
	}
	// Names and notes come from the user, and not every text reads back from YAML as it was written.
	var back Set
	f := &strictyaml.File{Name: setFile, Kind: fault.Usage, Cure: "rename the file, or change --citation or --licence"}
	if err := f.Decode(text, &back); err != nil {
		return nil, nil, err
	}
	if again, err := yaml.Marshal(back); err != nil || !bytes.Equal(again, text) || !reflect.DeepEqual(set, &back) {
		return nil, nil, fault.New(fault.Usage, "a file's name, the licence or the citation cannot be written down in %s",
			setFile).WithCure("%s", f.Cure)
	}
	return set, map[string][]byte{rowsFile: rows.Bytes(), rejectsFile: rejects.Bytes(), setFile: text}, nil
}

// inWords says by which rule rows have their class.
func (r *Rule) inWords() string {
	names := strings.Join(r.Names, ", ")
	if r.Label.All != "" {
		return names + ": all " + r.Label.All
	}
	return names + ": " + r.Label.Column + " benign = " + strings.Join(r.Label.Benign, " | ") + ", injection = " +
		strings.Join(r.Label.Injection, " | ")
}
