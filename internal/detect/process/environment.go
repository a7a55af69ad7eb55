package process

import (
	"os"
	"slices"
	"strings"
)

// inherited are the variables that every program gets: where programs and the user's files are, and how texts, times
// and temporary files are handled. Keys and tokens of other tools are none of its business.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"TEMP", "TMP", "USERPROFILE"} // the last three are those of Windows

// environment is what a program finds: the inherited variables, those of this process that the entry passes on, and those
// that it sets. Output of Python is not buffered, unless that is set otherwise: an answer that is not flushed never
// arrives.
func (d *Detector) environment() []string {
	env := []string{"PYTHONUNBUFFERED=1"}
	for _, name := range slices.Concat(inherited, d.entry.PassEnv) {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, pair := range os.Environ() {
		if strings.HasPrefix(pair, "LC_") {
			env = append(env, pair)
		}
	}
	for name, value := range d.entry.Env {
		env = append(env, name+"="+value)
	}
	return env
}
