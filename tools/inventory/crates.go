package inventory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// tokenizersModule holds the Rust sources of the tokenizers archive.
const tokenizersModule = "github.com/daulet/tokenizers"

// bundled are C and C++ sources that a crate compiles into the archive, by crate: their name and the files that state
// their licence, whole or in their first comment.
var bundled = map[string]struct {
	name  string
	files []string
}{
	"onig_sys": {"oniguruma", []string{"oniguruma/COPYING"}},
	"esaxx-rs": {"esaxx", []string{"src/esa.hxx", "src/sais.hxx"}},
}

type cargoPackage struct {
	ID, Name, Version, License string
	ManifestPath               string `json:"manifest_path"`
	Targets                    []struct{ Kind []string }
}

type cargoMetadata struct {
	Packages []cargoPackage
	Resolve  struct {
		Root  string
		Nodes []struct {
			ID   string
			Deps []struct {
				Pkg      string
				DepKinds []struct{ Kind *string } `json:"dep_kinds"` // null: linked; else dev or build
			}
		}
	}
}

// crates returns what is linked into the tokenizers archive for linux/arch: crates without those that only run while it
// is built, C and C++ sources among them, and Rust's standard library.
func crates(ctx context.Context, root, arch string) ([]Component, error) {
	find := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", tokenizersModule)
	find.Dir = root
	dir, err := output(find)
	if err != nil {
		return nil, err
	}
	triple := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch] + "-unknown-linux-gnu"
	cargo := exec.CommandContext(ctx, "cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", triple,
		"--manifest-path", filepath.Join(strings.TrimSpace(string(dir)), "Cargo.toml"))
	cargo.Dir = root
	out, err := output(cargo)
	if err != nil {
		return nil, err
	}
	var meta cargoMetadata
	if err := json.Unmarshal(out, &meta); err != nil {
		return nil, fault.New(fault.Failed, "cargo metadata printed what is not the JSON expected: %w", err)
	}
	var all []Component
	for _, p := range linkedCrates(meta) {
		c, err := crate(p)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if _, ok := bundled[p.Name]; ok {
			b, err := bundledSources(p)
			if err != nil {
				return nil, err
			}
			all = append(all, b)
		}
	}
	std, err := rustItself(ctx, root)
	return append(all, std), err
}

// linkedCrates walks from the root along dependencies that are linked; crates of macros run in the compiler.
func linkedCrates(meta cargoMetadata) []cargoPackage {
	packages, deps := map[string]cargoPackage{}, map[string][]string{}
	for _, p := range meta.Packages {
		packages[p.ID] = p
	}
	for _, n := range meta.Resolve.Nodes {
		for _, d := range n.Deps {
			for _, k := range d.DepKinds {
				if k.Kind == nil {
					deps[n.ID] = append(deps[n.ID], d.Pkg)
				}
			}
		}
	}
	var linked []cargoPackage
	seen, queue := map[string]bool{meta.Resolve.Root: true}, []string{meta.Resolve.Root}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if slices.ContainsFunc(packages[id].Targets, func(t struct{ Kind []string }) bool {
			return slices.Contains(t.Kind, "proc-macro")
		}) {
			continue
		}
		if id != meta.Resolve.Root { // the root is part of a Go module
			linked = append(linked, packages[id])
		}
		for _, d := range deps[id] {
			if !seen[d] {
				seen[d] = true
				queue = append(queue, d)
			}
		}
	}
	slices.SortFunc(linked, func(a, b cargoPackage) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	return linked
}

// crate takes the licence from the crate's manifest, where its author names it, and the texts from its files.
func crate(p cargoPackage) (Component, error) {
	files, err := licenceFiles(filepath.Dir(p.ManifestPath))
	licence := strings.Join(strings.Fields(strings.ReplaceAll(p.License, "/", " OR ")), " ") // the old form has slashes
	return Component{Kind: Crate, Name: p.Name, Version: p.Version, Licence: licence, Shipped: true, Texts: files}, err
}

// bundledSources returns what lies in the crate besides Rust.
func bundledSources(p cargoPackage) (Component, error) {
	b := bundled[p.Name]
	c := Component{Kind: Native, Name: b.name, Version: "in " + p.Name + " " + p.Version, Shipped: true}
	for _, name := range b.files {
		body, err := os.ReadFile(filepath.Join(filepath.Dir(p.ManifestPath), filepath.FromSlash(name)))
		if err != nil {
			return c, err
		}
		if comment, _, ok := bytes.Cut(body, []byte("*/")); ok {
			body = bytes.TrimLeft(comment, "/* \n")
		}
		c.Texts = append(c.Texts, Text{Name: "licence of " + path.Base(name), Body: body})
	}
	c.Licence = classify(c.Texts)
	return c, nil
}

// rustItself returns the standard library of Rust, whose sources state their licence.
func rustItself(ctx context.Context, root string) (Component, error) {
	ask := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "rustc", args...)
		cmd.Dir = root
		out, err := output(cmd)
		return strings.TrimSpace(string(out)), err
	}
	version, err := ask("--version")
	if err != nil {
		return Component{}, err
	}
	sysroot, err := ask("--print", "sysroot")
	if err != nil {
		return Component{}, err
	}
	c := Component{Kind: Crate, Name: "std", Version: strings.Fields(version)[1], Licence: "MIT OR Apache-2.0", Shipped: true}
	for _, name := range []string{"MIT.txt", "Apache-2.0.txt"} {
		// Distributions put them elsewhere; the crates' own copies hold the same words.
		if body, err := os.ReadFile(filepath.Join(sysroot, "share", "doc", "rust", "licenses", name)); err == nil {
			c.Texts = append(c.Texts, Text{Name: name, Body: body})
		}
	}
	return c, nil
}

func sortTexts(texts []Text) {
	slices.SortFunc(texts, func(a, b Text) int { return strings.Compare(a.Name, b.Name) })
}
