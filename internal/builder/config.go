package builder

import (
	"path/filepath"

	"pidsbench/internal/fault"
	"pidsbench/internal/strictyaml"
)

// ConfigPath and LockPath are where the two files that steer a build lie, relative to the root.
const (
	ConfigPath = "configs/builder.yaml"
	LockPath   = "data/sources.lock.yaml"
)

// Config is configs/builder.yaml.
type Config struct {
	Version       string             `yaml:"version"` // of the edition; the manifest names it
	Seed          int64              `yaml:"seed"`
	NearDuplicate float64            `yaml:"near_duplicate"` // cosine at which a row repeats a kept one
	Family        float64            `yaml:"family"`         // cosine at which two rows are one family
	FamilyMargin  float64            `yaml:"family_margin"`  // families are joined so much below Family
	Authored      AuthoredConfig     `yaml:"authored"`
	Carriers      CarriersConfig     `yaml:"carriers"`
	Paraphrase    ParaphraseConfig   `yaml:"paraphrase"`
	HardBenign    HardBenignConfig   `yaml:"hard_benign"`
	Siblings      SiblingsConfig     `yaml:"siblings"`
	Augmentation  AugmentationConfig `yaml:"augmentation"`
	Structural    StructuralConfig   `yaml:"structural"`
	Balance       BalanceConfig      `yaml:"balance"`
	Quotas        Quotas             `yaml:"quotas"`
	Obfuscation   ObfuscationConfig  `yaml:"obfuscation"`
	Slices        SlicesConfig       `yaml:"slices"`
	HeldOut       HeldOutConfig      `yaml:"held_out_obfuscation"`
	Domain        map[string]Domain  `yaml:"domain_ood"`
	Expect        []Expected         `yaml:"expect"`
}

// AuthoredConfig names the files of texts of our own.
type AuthoredConfig struct {
	Frames    []FrameFile    `yaml:"frames"`    // sentence frames: pidsbench-grammar/1
	Texts     []AuthoredFile `yaml:"texts"`     // texts that were written one by one: pidsbench-texts/1
	Documents []AuthoredFile `yaml:"documents"` // documents with injections: pidsbench-carriers/1
}

// AuthoredFile says what the texts of a file are for.
type AuthoredFile struct {
	File string `yaml:"file"`
	Use  Role   `yaml:"use"`
}

// FrameFile says how many texts each frame of a file gives, and what they are for.
type FrameFile struct {
	File     string `yaml:"file"`
	PerFrame int    `yaml:"per_frame"`
	Use      Role   `yaml:"use"`
}

// CarriersConfig says which third-party documents get an injection, and how often each injection and request serves.
type CarriersConfig struct {
	Sources  []string `yaml:"sources"`
	MinChars int      `yaml:"min_chars"` // of a document
	Bare     int      `yaml:"bare"`      // documents an injection stands in
	Asked    int      `yaml:"asked"`     // texts that a request makes
}

// ParaphraseConfig says how often the third-party rows of an attack type are reworded, and how many benign ones are,
// once each.
type ParaphraseConfig struct {
	Rounds map[string]int `yaml:"rounds"`
	Benign int            `yaml:"benign"`
}

// HardBenignConfig is the size of hard_benign_test.
type HardBenignConfig struct {
	Real      int `yaml:"real"`
	MaxFamily int `yaml:"max_family"` // most rows of one family
	Curated   int `yaml:"curated"`
	Negative  struct {
		Train int `yaml:"train"`
		Val   int `yaml:"val"`
	} `yaml:"hard_negative"`
}

// SiblingsConfig says how many further texts the frames of hard_negative_train give.
type SiblingsConfig struct {
	Rows     int `yaml:"rows"`
	PerFrame int `yaml:"per_frame"` // at most
}

// AugmentationConfig says how many third-party rows are kept apart for the augmented arms.
type AugmentationConfig struct {
	SecurityAdjacent int `yaml:"security_adjacent"`
	Ordinary         int `yaml:"ordinary"`
}

// StructuralConfig says what the structural split is made of.
type StructuralConfig struct {
	Seeds       int `yaml:"seeds"`    // families a class
	Adjacent    int `yaml:"adjacent"` // of the benign ones, so many are security-adjacent
	MinChars    int `yaml:"min_chars"`
	MaxChars    int `yaml:"max_chars"`
	MaxFamily   int `yaml:"max_family"`   // rows; greater families stay in the pool
	FillerChars int `yaml:"filler_chars"` // least length of the padding of a diluted text
	FillerMax   int `yaml:"filler_max"`   // greatest length of it
}

// BalanceConfig holds the shares that the pool is cut to and that are asserted of each split, per mille.
type BalanceConfig struct {
	MaxSource int `yaml:"max_source"` // of one source among the benign rows
	MaxFrame  int `yaml:"max_frame"`  // of one frame among all
}

// Quota is how many rows of each stratum a split holds: benign rows, and injections by attack type; texts of ours
// apart, after ownPrefix.
type Quota map[string]int

// Quotas are the quotas of the three main splits.
type Quotas struct {
	Train Quota `yaml:"train"`
	Val   Quota `yaml:"val"`
	Test  Quota `yaml:"test"`
}

// Domain is how many rows of a domain the domain split holds, and how many of the benign ones third-party texts are.
type Domain struct {
	Benign     int `yaml:"benign"`
	ThirdParty int `yaml:"third_party"`
	Injection  int `yaml:"injection"`
}

// Classes counts rows by class.
type Classes struct {
	Benign    int `yaml:"benign" json:"benign"`
	Injection int `yaml:"injection" json:"injection"`
}

// ObfuscationConfig says how many rows of each split are disguised, and how. Train and val draw a transform by weight;
// test takes the kinds of disguise evenly.
type ObfuscationConfig struct {
	Train   Classes        `yaml:"train"`
	Val     Classes        `yaml:"val"`
	Test    Classes        `yaml:"test"`
	Twins   int            `yaml:"twins"`   // benign twins of test attacks; at most test.injection, at least test.benign
	Weights map[string]int `yaml:"weights"` // by transform
}

// SlicesConfig is the size of balanced_subtype_test.
type SlicesConfig struct {
	Benign     int `yaml:"benign"`
	PerSubtype int `yaml:"per_subtype"` // a smaller subtype is taken whole
}

// HeldOutConfig is how many test rows of each class stand in every held-out disguise.
type HeldOutConfig struct {
	Seeds int `yaml:"seeds"`
}

// Expected is what one built file must hold.
type Expected struct {
	File      string         `yaml:"file"`
	Benign    int            `yaml:"benign"`
	Injection int            `yaml:"injection"`
	Sources   map[string]int `yaml:"sources,omitempty"` // rows by source
}

// LoadConfig reads configs/builder.yaml below root. Mistakes are Usage errors that name the field.
func LoadConfig(root string) (*Config, error) {
	var c Config
	if err := readYAML(root, ConfigPath, &c); err != nil {
		return nil, err
	}
	return &c, c.check()
}

func readYAML(root, path string, into any) error {
	f := strictyaml.File{Name: path, Kind: fault.Usage, Cure: "correct it, or restore the file from the repository"}
	return f.Load(filepath.Join(root, filepath.FromSlash(path)), into)
}
