package inventory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"pidsbench/internal/fault"
)

// command is the package that a release builds.
const command = "./cmd/pidsbench"

type goPackage struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// goModules returns the modules of which a package is compiled into the program for linux/arch, and Go itself.
func goModules(ctx context.Context, root, arch string) ([]Component, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Standard,Module", command)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS=linux", "GOARCH="+arch)
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	var order []string
	modules := map[string]*Component{}
	read := map[string]bool{} // folders
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fault.New(fault.Failed, "go list printed what is no JSON: %w", err)
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := modules[p.Module.Path]
		if m == nil {
			m = &Component{Kind: GoModule, Name: p.Module.Path, Version: p.Module.Version, Shipped: true}
			modules[m.Name] = m
			order = append(order, m.Name)
		}
		// A package may lie below licence files of its own, each of which counts.
		for dir := p.Dir; !read[dir]; dir = filepath.Dir(dir) {
			read[dir] = true
			files, err := licenceFiles(dir)
			if err != nil {
				return nil, err
			}
			below, err := filepath.Rel(p.Module.Dir, dir)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				m.Texts = append(m.Texts, Text{Name: filepath.ToSlash(filepath.Join(below, f.Name)), Body: f.Body})
			}
			if dir == p.Module.Dir {
				break
			}
		}
	}
	var all []Component
	for _, name := range order {
		m := modules[name]
		sortTexts(m.Texts)
		m.Licence = classify(m.Texts)
		all = append(all, *m)
	}
	std, err := goItself(ctx, root)
	return append(all, std), err
}

// goItself returns the standard library and runtime of Go.
func goItself(ctx context.Context, root string) (Component, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOROOT")
	cmd.Dir = root
	out, err := output(cmd)
	if err != nil {
		return Component{}, err
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	files, err := licenceFiles(dir)
	return Component{Kind: GoModule, Name: "std", Version: version, Licence: classify(files), Shipped: true, Texts: files}, err
}

// output runs a command and returns what it prints; the error holds the last line of its complaints.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, fault.New(fault.Failed, "`%s` failed: %s", strings.Join(cmd.Args, " "), fault.Line(lines[len(lines)-1]))
	}
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot run %s: %w", cmd.Args[0], err)
	}
	return out, nil
}
