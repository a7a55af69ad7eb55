package process

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"pidsbench/internal/fault"
)

// lookup finds the program that a command names, in the folders of PATH or by its path from the root. One that is not
// here or cannot be started is an Incomplete error that says where it was looked for.
func lookup(root, name string) (string, error) {
	program := name
	if isPath(name) {
		program = inRoot(root, name)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", notFound(root, name, err)
	}
	return path, checkInterpreter(path, name)
}

func missing(cure, format string, args ...any) error {
	return fault.New(fault.Incomplete, format, args...).WithCure("%s", cure)
}

// notFound says why a program was not found, and what to do about it.
func notFound(root, name string, err error) error {
	said := fault.Name(name)
	here, stat := os.Stat(inRoot(root, name))
	switch {
	case strings.ContainsAny(name, " \t") && stat != nil:
		return missing("write the command as a list with an item for each argument: ["+
			strings.Join(strings.Fields(said), ", ")+"]",
			"its program %s is not here: process.command holds it and its arguments as one text", said)
	case !isPath(name) && stat == nil && here.Mode().IsRegular():
		return missing("write ./"+said+" in process.command", "its program %s is in no folder of PATH, though a file of "+
			"that name is in the project's folder", said)
	case !isPath(name):
		return missing("install it, or give its path in process.command", "its program %s is in no folder of PATH", said)
	case stat != nil && errors.Is(stat, fs.ErrNotExist) && filepath.IsAbs(name):
		return missing("install it, or correct process.command", "its program %s is not here", said)
	case stat != nil && errors.Is(stat, fs.ErrNotExist):
		return missing("correct process.command: paths in it are relative to that folder", "its program %s is not here: it "+
			"was looked up from the project's folder, %s", said, fault.Name(root))
	case stat == nil && here.IsDir():
		return missing("name a program in process.command", "its program %s is a folder", said)
	case stat == nil:
		return missing("run chmod +x on it, or put its interpreter before it in process.command", "its program %s may not "+
			"be executed", said)
	}
	return missing("correct process.command", "its program %s cannot be run: %v", said, err)
}

// checkInterpreter looks for what the #! line of a script names: without it the script does not start, and the system
// says no more than that a file is missing.
func checkInterpreter(path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // a program that may be run and not read
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, 4096).ReadSlice('\n')
	rest, script := strings.CutPrefix(string(line), "#!")
	if err != nil || !script {
		return nil
	}
	if strings.HasSuffix(rest, "\r\n") {
		return missing("save it with line feeds alone as line ends", "the #! line of its program %s ends with a carriage "+
			"return, which the system takes for a part of the interpreter's name", fault.Name(name))
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return nil
	}
	interpreter := words[0]
	if filepath.Base(interpreter) == "env" && len(words) == 2 { // with more words env has options
		interpreter = words[1]
	}
	if _, err := exec.LookPath(interpreter); err != nil {
		return missing("install that, or correct the line", "the interpreter %s, which the #! line of its program %s names, "+
			"is not here", fault.Name(interpreter), fault.Name(name))
	}
	return nil
}
