package builder

import (
	pathpkg "path"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/disguise"
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
	siblingsFile          = "eval_subsets/hard_negative_siblings.csv"
	balancedFile          = "eval_subsets/balanced_subtype_test.csv"
	obfuscatedAttacksFile = "eval_subsets/obfuscated_attacks.csv"
	obfuscatedBenignFile  = "eval_subsets/obfuscated_benign.csv"
	parentsFile           = "eval_subsets/obfuscation_parents.csv"
	domainFile            = "ood/domain_ood.csv"
	structuralFile        = "ood/structural_ood.csv"
	structuralSeedsFile   = "ood/structural_seeds.csv"
	heldOutFile           = "ood/held_out_obfuscation.csv"
	heldOutSeedsFile      = "ood/held_out_seeds.csv"
	negativeTrainFile     = "hard_negative_train.csv"
	negativeValFile       = "hard_negative_val.csv"
	thirdPartyFile        = "hard_negative_thirdparty.csv"
	ordinaryArmFile       = "hard_negative_ordinary.csv"
)

// derived are the files that repeat rows of another one.
var derived = map[string]string{
	balancedFile: testFile, obfuscatedAttacksFile: testFile, obfuscatedBenignFile: testFile, parentsFile: testFile,
	heldOutFile: testFile, heldOutSeedsFile: testFile, structuralFile: structuralSeedsFile,
}

// siblingFiles are two files that share frames and families, and no text: what the augmented arm is trained on, and
// further texts of the same frames.
var siblingFiles = []string{negativeTrainFile, siblingsFile}

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
	domainColumns   = []string{"text", "label", "source", "domain", "ood_type", "attack_style", "generation_method"}
	negativeColumns = []string{
		"text", "label", "source_type", "parent_seed_id", "split", "hardneg_category", "source", "attack_type", "language",
		"obfuscation",
	}
	ownColumns = []string{
		"row_id", "family_id", "frame_id", "carrier_id", "authorship", "license", "attack_rule", "obfuscation_kind", "edits",
		"pair_id", "topic", "placement", "disputed",
	}
	seedColumns       = []string{"seed_kind"}
	ownShiftedColumns = []string{"language", "seed_start", "seed_length", "filler_ids", "seed_kind"}
	ownDomainColumns  = []string{"language"}
)

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (r Record) attackType() string {
	if r.Label == dataset.Benign {
		return "none"
	}
	return r.AttackType
}

// seedID is the row that r paraphrases, or r itself.
func (r Record) seedID() string {
	if r.Parent != "" {
		return r.Parent
	}
	return r.ID
}

func (r Record) columns(sourceType string) []string {
	return []string{
		r.seedID(), r.Text, strconv.Itoa(int(r.Label)), r.Source, r.attackType(), r.Language, orNone(r.Generator),
		strconv.Itoa(r.Round), sourceType, r.Obfuscation,
	}
}

func (r Record) own() []string {
	return []string{
		r.ID, r.Family, r.Frame, r.Carrier, r.Authorship, r.License, r.AttackRule, disguise.KindOf(r.Obfuscation),
		strconv.Itoa(r.Edits), r.Pair, r.Topic, r.Placement, yesOrNot(r.Disputed),
	}
}

func yesOrNot(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// sourceType says template of the texts of ours, and of third-party ones that fill a sentence frame.
func sourceType(r Record) string {
	if r.Own || r.Authorship == "template" {
		return "template"
	}
	return "real"
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

// evalFile lays out a set that is used for evaluation alone. Its source_type is the provenance of the row: curated for
// one of ours, real for a third-party public text.
func evalFile(path string, records []Record, seed int64) File {
	f := File{Path: path, Columns: slices.Concat(rowColumns, ownColumns), Records: shuffled(path, records, seed)}
	for _, r := range f.Records {
		provenance := "real"
		if r.Role == Curated {
			provenance = "curated"
		}
		f.Rows = append(f.Rows, slices.Concat(r.columns(provenance), r.own()))
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

func structuralRows(path string, rows []Record, seed int64) File {
	f := File{Path: path, Columns: slices.Concat(structuralColumns, ownShiftedColumns, ownColumns)}
	f.Records = slices.Clone(rows)
	draw.Order(f.Records, seed, "order "+path, func(r Record) string { return r.Shift.Transform + " " + r.ID })
	for _, r := range f.Records {
		start := ""
		if r.Shift.Start >= 0 {
			start = strconv.Itoa(r.Shift.Start)
		}
		f.Rows = append(f.Rows, slices.Concat([]string{
			r.Text, strconv.Itoa(int(r.Label)), r.Source, "structural", r.Shift.Transform, strconv.Itoa(r.Shift.SeedIndex),
			"deterministic_transform",
		}, []string{r.Language, start, strconv.Itoa(r.Shift.Length), strings.Join(r.Shift.Fillers, " "),
			r.seedKind()}, r.own()))
	}
	return f
}

// seedKind says whether a seed of the structural split is security-adjacent, which its benign half is by half.
func (r Record) seedKind() string {
	if r.Topic != "" {
		return "security_adjacent"
	}
	return "ordinary"
}

// seedRows lays out the texts of the structural split as they are by themselves.
func seedRows(path string, records []Record, seed int64) File {
	columns := slices.Concat(rowColumns, seedColumns, ownColumns)
	f := File{Path: path, Columns: columns, Records: shuffled(path, records, seed)}
	for _, r := range f.Records {
		f.Rows = append(f.Rows, slices.Concat(r.columns(sourceType(r)), []string{r.seedKind()}, r.own()))
	}
	return f
}

// heldOutRows lays out the rows of each held-out disguise.
func heldOutRows(path string, rows []Record, seed int64) File {
	f := File{Path: path, Columns: slices.Concat(rowColumns, sliceColumns, ownColumns), Records: slices.Clone(rows)}
	draw.Order(f.Records, seed, "order "+path, func(r Record) string { return r.Obfuscation + " " + r.ID })
	for _, r := range f.Records {
		f.Rows = append(f.Rows, slices.Concat(r.columns(sourceType(r)), []string{"test", "held_out_obfuscation"}, r.own()))
	}
	return f
}

func domainRows(path string, records []Record, seed int64) File {
	columns := slices.Concat(domainColumns, ownDomainColumns, ownColumns)
	f := File{Path: path, Columns: columns, Records: shuffled(path, records, seed)}
	for _, r := range f.Records {
		f.Rows = append(f.Rows, slices.Concat([]string{
			r.Text, strconv.Itoa(int(r.Label)), r.Source, r.Domain, "domain", r.attackType(), r.Authorship,
			r.Language,
		}, r.own()))
	}
	return f
}

// negativeFile lays out benign rows for an augmented arm.
func negativeFile(path, split, sourceType string, records []Record, seed int64) File {
	f := File{Path: path, Columns: slices.Concat(negativeColumns, ownColumns), Records: shuffled(path, records, seed)}
	for _, r := range f.Records {
		category := "ordinary"
		switch {
		case r.Role == HardNegative:
			category = r.Topic
		case r.Topic != "":
			category = "security_adjacent"
		}
		f.Rows = append(f.Rows, slices.Concat([]string{
			r.Text, strconv.Itoa(int(r.Label)), sourceType, r.seedID(), split, category, r.Source, r.attackType(), r.Language,
			r.Obfuscation,
		}, r.own()))
	}
	return f
}

func shuffled(path string, records []Record, seed int64) []Record {
	return inHashOrder(records, seed, "order "+path)
}
