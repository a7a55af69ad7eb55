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
	Seed          int64             `yaml:"seed"`
	NearDuplicate float64           `yaml:"near_duplicate"` // cosine at which a row repeats a kept one
	Family        float64           `yaml:"family"`         // cosine at which two rows are one family
	FamilyMargin  float64           `yaml:"family_margin"`  // families are joined so much below Family
	Split         SplitRatio        `yaml:"split"`
	Obfuscation   ObfuscationConfig `yaml:"obfuscation"`
	Structural    StructuralConfig  `yaml:"structural"`
	Expect        []Expected        `yaml:"expect"`
}

// SplitRatio is the share of rows of each split, per mille; the three add up to 1,000.
type SplitRatio struct {
	Train int `yaml:"train"`
	Val   int `yaml:"val"`
	Test  int `yaml:"test"`
}

// ObfuscationConfig says how many rows of a split are disguised, and how.
type ObfuscationConfig struct {
	Share   int            `yaml:"share"`   // of the rows of each class, per mille
	Weights map[string]int `yaml:"weights"` // by transform
}

// StructuralConfig says what the structural split is made of.
type StructuralConfig struct {
	Seeds       int `yaml:"seeds"` // families a class
	MinChars    int `yaml:"min_chars"`
	MaxChars    int `yaml:"max_chars"`
	MaxFamily   int `yaml:"max_family"`   // rows; greater families stay in the pool
	FillerChars int `yaml:"filler_chars"` // least length of the padding of a diluted text
	FillerMax   int `yaml:"filler_max"`   // greatest length of it
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
	bad := func(field string, found any, expected string) error {
		return fault.New(fault.Usage, "%s: field %s holds %v, expected %s", ConfigPath, field, found, expected).
			WithCure("correct it")
	}
	for _, t := range []struct {
		field string
		value float64
	}{{"near_duplicate", c.NearDuplicate}, {"family", c.Family}} {
		if !(t.value > 0 && t.value <= 1) {
			return nil, bad(t.field, t.value, "a cosine in (0, 1]")
		}
	}
	if !(c.FamilyMargin >= 0 && c.FamilyMargin < c.Family) {
		return nil, bad("family_margin", c.FamilyMargin, "at least 0 and less than family")
	}
	if p := c.Split; p.Train+p.Val+p.Test != 1000 || min(p.Train, p.Val, p.Test) < 1 {
		return nil, bad("split", c.Split, "three positive shares that add up to 1000")
	}
	if c.Obfuscation.Share < 0 || c.Obfuscation.Share > 1000 {
		return nil, bad("obfuscation.share", c.Obfuscation.Share, "0 to 1000")
	}
	for _, t := range Transforms {
		if c.Obfuscation.Weights[t.Name] < 1 {
			return nil, bad("obfuscation.weights."+t.Name, c.Obfuscation.Weights[t.Name], "a positive weight")
		}
	}
	if len(c.Obfuscation.Weights) != len(Transforms) {
		return nil, bad("obfuscation.weights", c.Obfuscation.Weights, "the known transforms only")
	}
	s := c.Structural
	if s.Seeds < 1 || s.MinChars < 1 || s.MaxChars < s.MinChars || s.MaxFamily < 1 || s.FillerChars < 1 ||
		s.FillerMax < s.FillerChars {
		return nil, bad("structural", s, "positive numbers, each maximum at least its minimum")
	}
	return &c, nil
}

func readYAML(root, path string, into any) error {
	f := strictyaml.File{Name: path, Kind: fault.Usage, Cure: "correct it, or restore the file from the repository"}
	return f.Load(filepath.Join(root, filepath.FromSlash(path)), into)
}
