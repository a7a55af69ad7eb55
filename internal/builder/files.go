package builder

import (
	pathpkg "path"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/draw"
)

// File is one built CSV, before it is written.
type File struct {
	Path    string // relative to the edition's folder, with slashes
	Columns []string
	Rows    [][]string
	Records []Record // in the order of Rows
}

// Paths of the files, relative to the edition's folder.
const (
	trainFile             = "train.csv"
	valFile               = "val.csv"
	testFile              = "test.csv"
	hardBenignFile        = "eval_subsets/hard_benign_test.csv"
	ordinaryFile          = "eval_subsets/ordinary_benign.csv"
	obfuscatedAttacksFile = "eval_subsets/obfuscated_attacks.csv"
	obfuscatedBenignFile  = "eval_subsets/obfuscated_benign.csv"
	structuralFile        = "ood/structural_ood.csv"
)

// ofTest reports whether the file repeats rows of the test split.
func (f File) ofTest() bool { return f.Path == obfuscatedAttacksFile || f.Path == obfuscatedBenignFile }

// The original's columns come first and in its order; ours follow.
var (
	rowColumns = []string{
		"parent_seed_id", "text", "label", "source", "attack_type", "language", "generator_model", "paraphrase_round",
		"source_type", "obfuscation",
	}
	sliceColumns      = []string{"_split", "split"}
	structuralColumns = []string{
		"text", "label", "source", "ood_type", "transform_type", "original_seed_idx", "generation_method",
	}
	ownColumns        = []string{"family_id", "frame_id", "carrier_id", "authorship", "license"}
	ownShiftedColumns = []string{"parent_seed_id", "language", "seed_start", "seed_length", "filler_ids"}
)

// attackType is what stands in the column until a classifier names the subtypes.
func attackType(l dataset.Label) string {
	if l == dataset.Injection {
		return "unclassified"
	}
	return "none"
}

func sourceType(r Record) string {
	if r.Authorship == "template" {
		return "template"
	}
	return "real"
}

func (r Record) columns(sourceType string) []string {
	return []string{
		r.ID, r.Text, strconv.Itoa(int(r.Label)), r.Source, attackType(r.Label), r.Language, "none", "0", sourceType,
		r.Obfuscation,
	}
}

func (r Record) own() []string {
	return []string{r.Family, r.Frame, r.Carrier, r.Authorship, r.License}
}

// mainFile lays out train, val or test. Rows stand in hash order, so that their order says nothing about class or
// source.
func mainFile(path string, records []Record, seed int64) File {
	f := File{Path: path, Columns: slices.Concat(rowColumns, ownColumns), Records: shuffled(path, records, seed)}
	for _, r := range f.Records {
		f.Rows = append(f.Rows, slices.Concat(r.columns(sourceType(r)), r.own()))
	}
	return f
}

// evalFile lays out a set that is used for evaluation alone. Its source_type is the provenance of the row: real, for a
// third-party public text.
func evalFile(path string, records []Record, seed int64) File {
	f := File{Path: path, Columns: slices.Concat(rowColumns, ownColumns), Records: shuffled(path, records, seed)}
	for _, r := range f.Records {
		f.Rows = append(f.Rows, slices.Concat(r.columns("real"), r.own()))
	}
	return f
}

// sliceFile lays out rows that are derived from the test split.
func sliceFile(path string, records []Record, seed int64) File {
	columns := slices.Concat(rowColumns, sliceColumns, ownColumns)
	f := File{Path: path, Columns: columns, Records: shuffled(path, records, seed)}
	name := strings.TrimSuffix(pathpkg.Base(path), ".csv")
	for _, r := range f.Records {
		f.Rows = append(f.Rows, slices.Concat(r.columns(sourceType(r)), []string{"test", name}, r.own()))
	}
	return f
}

func shiftedFile(path string, rows []Shifted, seed int64) File {
	f := File{Path: path, Columns: slices.Concat(structuralColumns, ownShiftedColumns, ownColumns)}
	rows = slices.Clone(rows)
	draw.Order(rows, seed, "order "+path, func(s Shifted) string { return s.Transform + " " + s.ID })
	for _, s := range rows {
		start := ""
		if s.Start >= 0 {
			start = strconv.Itoa(s.Start)
		}
		f.Records = append(f.Records, s.Record)
		f.Rows = append(f.Rows, slices.Concat([]string{
			s.Text, strconv.Itoa(int(s.Label)), s.Source, "structural", s.Transform, strconv.Itoa(s.SeedIndex),
			"deterministic_transform",
		}, []string{s.ID, s.Language, start, strconv.Itoa(s.Length), strings.Join(s.Fillers, " ")}, s.own()))
	}
	return f
}

func shuffled(path string, records []Record, seed int64) []Record {
	out := slices.Clone(records)
	draw.Order(out, seed, "order "+path, byID)
	return out
}
