package dataset

// Benchmark is configs/benchmark.yaml: which editions exist and what each of their splits measures.
type Benchmark struct {
	Editions []Edition `yaml:"editions"`
}

// Edition is a folder of splits with one freeze manifest.
type Edition struct {
	ID          string      `yaml:"id"`
	Name        string      `yaml:"name"`     // for table captions
	Dir         string      `yaml:"dir"`      // relative to the root; "" when the user must say where it lies
	Manifest    string      `yaml:"manifest"` // relative to the root
	Description string      `yaml:"description"`
	Splits      []SplitSpec `yaml:"splits"`
}

// SplitSpec says where a split lies and what it measures.
type SplitSpec struct {
	Name   string            `yaml:"name"`
	Path   string            `yaml:"path"`   // relative to the edition's folder, with slashes
	Axis   Axis              `yaml:"axis"`   // empty for train and val
	Slices map[string]string `yaml:"slices"` // name of a breakdown → the column by whose values it goes
}

// Axis names what an evaluation split measures.
type Axis string

// The axes, in the order tables show them.
const (
	IID             Axis = "iid"
	HardBenign      Axis = "hard_benign"
	OrdinaryBenign  Axis = "ordinary_benign"
	Obfuscation     Axis = "obfuscation"
	BalancedSubtype Axis = "balanced_subtype"
	DomainShift     Axis = "domain_shift"
	StructuralShift Axis = "structural_shift"
	Custom          Axis = "custom" // a user's own file
)
