package detect

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pidsbench/internal/fault"
)

// wrongProcess looks at the section of the kind process.
func (e *Entry) wrongProcess() *mistake {
	p := e.Process
	switch {
	case e.Kind != "process" && p == nil:
		return nil
	case e.Kind != "process":
		return wrong("process", "a section", "none for the kind "+e.Kind)
	case p == nil:
		return wrong("process", "nothing", "a section with the command")
	case len(p.Command) == 0 || p.Command[0] == "":
		return p.wrong("command", "no program", "a list: the program, then its arguments")
	}
	for _, arg := range p.Command {
		if strings.ContainsRune(arg, 0) {
			return p.wrong("command", fault.Quote(arg), "texts without NUL")
		}
	}
	for _, name := range p.Files {
		if !localPath(name) {
			return p.wrong("files", fault.Quote(name), "paths inside the project with slashes")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(p.Env[name], 0) {
			return p.wrong("env", fault.Quote(name), "names without = and values without NUL")
		}
	}
	for _, name := range p.PassEnv {
		if !variable.MatchString(name) { // not quoted: it may be the value itself
			return p.wrong("pass_env", "something else", "names of environment variables, not their values")
		}
	}
	return p.wrongNumbers()
}

func (p *Process) wrongNumbers() *mistake {
	const day = 24 * 60 * 60
	for _, f := range []struct {
		name  string
		found float64
	}{{"start_timeout", p.StartTimeout}, {"timeout", p.Timeout}} {
		if !(f.found >= 0 && f.found <= day) { // NaN too
			return p.wrong(f.name, number(f.found), "seconds, more than 0 and at most "+strconv.Itoa(day))
		}
	}
	for _, f := range []struct {
		name  string
		found int
	}{{"processes", p.Processes}, {"in_flight", p.InFlight}} {
		if f.found < 0 || f.found > 1024 {
			return p.wrong(f.name, strconv.Itoa(f.found), "1 to 1024")
		}
	}
	return nil
}

func (p *Process) wrong(field, found, expected string) *mistake {
	return &mistake{[]any{"process", field}, "process." + field, found, expected}
}
