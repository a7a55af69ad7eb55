// Package inventory lists what the program is built of, reads and brings along: Go modules, native libraries with the Rust
// crates in them, Python packages of the tools, packages and collections of texts, detectors and models.
package inventory

import (
	"cmp"
	"context"
	"slices"
)

// Kind says what a component is.
type Kind string

// The kinds, in the order of lists.
const (
	GoModule   Kind = "Go module"
	Native     Kind = "native library"
	Crate      Kind = "Rust crate"
	Python     Kind = "Python package"
	DataPack   Kind = "data package"
	DataSource Kind = "data source"
	Detector   Kind = "detector"
	Model      Kind = "model"
)

var kinds = []Kind{GoModule, Native, Crate, Python, DataPack, DataSource, Detector, Model}

// Component is one thing that the program is built of, reads or brings along.
type Component struct {
	Kind    Kind
	Name    string // its path, package or id
	Version string // empty where it has none of its own
	Licence string // SPDX expression, or the word of its own record; empty where nothing says it
	SHA256  string // lower-case hex, of the package file that is pinned; empty where none is
	Part    string // the folder below the project that holds a model; the package that a data source lies in
	Shipped bool   // a release holds it
	Texts   []Text // its licence files, of what a release holds
}

// Text is a licence file.
type Text struct {
	Name string // below the component's own folder
	Body []byte
}

// All returns every component of the project at root, sorted by kind, name and version. It asks the go and cargo
// commands and reads the wheel of ONNX Runtime for linux/arch (amd64, arm64); a tool or file that is missing is an
// error.
func All(ctx context.Context, root, arch string) ([]Component, error) {
	var all []Component
	for _, list := range []func() ([]Component, error){
		func() ([]Component, error) { return goModules(ctx, root, arch) },
		func() ([]Component, error) { return crates(ctx, root, arch) },
		func() ([]Component, error) { return runtime(root, arch) },
		func() ([]Component, error) { return pythonPackages(root) },
		func() ([]Component, error) { return texts(root) },
		func() ([]Component, error) { return detectors(root) },
	} {
		found, err := list()
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b Component) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Version, b.Version))
	})
	return all, nil
}
