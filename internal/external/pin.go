package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pidsbench/internal/dataset"
	"pidsbench/internal/fault"
	"pidsbench/internal/packages"
)

// memberLimit bounds what is read of one packaged file, in bytes.
const memberLimit = 256 << 20

// ParsePin reads pip:NAME==VERSION#SHA256 or npm:NAME@VERSION#SHA256.
func ParsePin(s string) (packages.Package, error) {
	bad := func() (packages.Package, error) {
		return packages.Package{}, fault.New(fault.Usage, "the package is %s, expected pip:NAME==VERSION#SHA256 or "+
			"npm:NAME@VERSION#SHA256", fault.Quote(s)).WithCure("pin one file of the registry in this form")
	}
	client, rest, _ := strings.Cut(s, ":")
	spec, hash, ok := strings.Cut(rest, "#")
	if !ok {
		return bad()
	}
	p := packages.Package{SHA256: strings.TrimPrefix(hash, "sha256:")}
	at := -1
	switch client {
	case "pip":
		if at = strings.Index(spec, "=="); at > 0 {
			p.Name, p.Version = spec[:at], spec[at+2:]
		}
	case "npm":
		p.Client = packages.NPM
		if at = strings.LastIndex(spec, "@"); at > 0 {
			p.Name, p.Version = spec[:at], spec[at+1:]
		}
	}
	if at <= 0 {
		return bad()
	}
	return p, p.Check()
}

// pinName writes a package as ParsePin reads it, without its hash.
func pinName(p packages.Package) string {
	if p.Client == packages.NPM {
		return "npm:" + p.String()
	}
	return "pip:" + p.String()
}

// Input is what is imported: files, or members of one package.
type Input struct {
	Paths   []string
	Package *packages.Package
	Members []string // patterns as in Rule.Names; none for all that the mapping knows
	Cache   packages.Options
}

// reader takes a file: its path, by which mappings know it, the name by which messages and rejects call it, its
// contents. It returns how many rows the file has.
type reader func(ctx context.Context, path, name string, data []byte) (rows int, err error)

// read hands every file to the callback and returns where the rows come from.
func (in *Input) read(ctx context.Context, m *Mapping, yield reader) ([]Origin, error) {
	if in.Package != nil {
		return in.readPackage(ctx, m, yield)
	}
	names, err := shortNames(in.Paths)
	if err != nil {
		return nil, err
	}
	origins := make([]Origin, len(in.Paths))
	for i, path := range in.Paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := readFile(path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		origins[i] = Origin{Name: names[i], SHA256: hex.EncodeToString(sum[:])}
		if origins[i].Rows, err = yield(ctx, path, names[i], data); err != nil {
			return nil, err
		}
	}
	return origins, nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return nil, fault.New(fault.Usage, "%s does not exist", fault.Name(path)).WithCure("check the path")
	case err == nil && !info.Mode().IsRegular():
		return nil, fault.New(fault.Usage, "%s is not a regular file", fault.Name(path)).WithCure("name the files in it")
	case err == nil && info.Size() > dataset.MaxFileSize:
		return nil, fault.New(fault.Integrity, "%s has more than %d bytes (1 GiB), the most that is read", fault.Name(path),
			int64(dataset.MaxFileSize)).WithCure("split it into smaller files")
	case err != nil:
		return nil, fault.New(fault.Failed, "cannot read a file to import: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Failed, "cannot read a file to import: %w", err)
	}
	return data, nil
}

// shortNames returns as many last parts of the paths as it takes to tell all of them apart, without the folders that
// all of them share, so that nothing of this machine is kept.
func shortNames(paths []string) ([]string, error) {
	parts := make([][]string, len(paths))
	seen := map[string]bool{}
	for i, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, fault.New(fault.Failed, "cannot resolve a path: %w", err)
		}
		if seen[full] {
			return nil, fault.New(fault.Usage, "%s is named twice", fault.Name(p)).WithCure("name it once")
		}
		seen[full] = true
		parts[i] = strings.Split(filepath.ToSlash(full), "/")
	}
	shared := 0
	inAll := func(p []string) bool { return shared < len(p)-1 && p[shared] == parts[0][shared] }
	for len(parts) > 0 && !slices.ContainsFunc(parts, func(p []string) bool { return !inAll(p) }) {
		shared++
	}
	names := make([]string, len(paths))
	for n := 1; ; n++ {
		different := map[string]bool{}
		for i, p := range parts {
			names[i] = strings.Join(p[max(shared, len(p)-n):], "/")
			different[names[i]] = true
		}
		if len(different) == len(paths) {
			return names, nil
		}
	}
}

func (in *Input) readPackage(ctx context.Context, m *Mapping, yield reader) ([]Origin, error) {
	path, err := packages.Fetch(ctx, *in.Package, in.Cache)
	if err != nil {
		return nil, err
	}
	o := Origin{Name: pinName(*in.Package), SHA256: in.Package.SHA256, Members: in.Members}
	wanted := func(name string) bool {
		for _, p := range in.Members {
			if matches(p, name) {
				return true
			}
		}
		return len(in.Members) == 0 && m.rule(name) != nil
	}
	err = packages.Each(path, memberLimit, wanted, func(name string, data []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.Files++
		rows, err := yield(ctx, name, name, data)
		o.Rows += rows
		return err
	})
	if err == nil && o.Files == 0 {
		err = fault.New(fault.Usage, "%s holds no file named %s", o.Name, strings.Join(in.Members, ", ")).
			WithCure("name one of its files with --member")
	}
	return []Origin{o}, err
}
