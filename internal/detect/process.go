package detect

// Process says how a detector of kind process is started and how long it may take. Scores depend on the command, the
// environment, the version and the files; the rest only says how they are got.
type Process struct {
	// Command is the program and its arguments; no shell reads them. {seed} in an argument stands for the seed.
	Command []string `yaml:"command" json:"command"`
	// Files are files and folders, relative to the root, that scores depend on, beside those that the command names.
	Files   []string          `yaml:"files" json:"-"`
	Env     map[string]string `yaml:"env" json:"env,omitempty"`         // variables that are set for it
	PassEnv []string          `yaml:"pass_env" json:"-"`                // variables that are passed on to it, such as keys
	Version string            `yaml:"version" json:"version,omitempty"` // what the program must call itself, if it says

	Ready        bool    `yaml:"ready" json:"-"`         // it says when it is ready: no text is sent before
	StartTimeout float64 `yaml:"start_timeout" json:"-"` // seconds to get ready in; 0 means DefaultStartTimeout
	Timeout      float64 `yaml:"timeout" json:"-"`       // seconds a text may take; 0 means DefaultTimeout
	Processes    int     `yaml:"processes" json:"-"`     // how many run side by side; 0 means 1
	InFlight     int     `yaml:"in_flight" json:"-"`     // texts that one process holds at a time; 0 means 1
}

// Seconds that a program gets when its entry does not say.
const (
	DefaultStartTimeout = 120
	DefaultTimeout      = 60
)
