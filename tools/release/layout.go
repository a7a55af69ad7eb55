package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// file is one file of the archive.
type file struct {
	name    string // in the archive, below its only folder, with slashes
	from    string
	program bool // may be run
}

// taken are the files of the checkout that a release holds, as git names paths: what the program reads, and what its
// user does.
var taken = []string{
	":(glob)*.md", ":(glob)*.txt", ":(glob)*.cff", "LICENSE", "configs", "data", "deploy", "docs", "models", "results",
	"tools/adapters", "tools/recount",
}

// needed must be there: without one of them a command of the README fails.
var needed = []string{
	"bin/pidsbench", "third_party/lib/libonnxruntime.so", "THIRD-PARTY-LICENCES", "LICENSE", "README.md", "SECURITY.md",
	"FREEZE_MANIFEST.txt", "configs/benchmark.yaml", "configs/builder.yaml", "configs/detectors.yaml", "configs/gates.yaml",
	"data/sources.lock.yaml", "data/authored/goals.yaml", "data/lists/drop.yaml", "models/deberta-open-s42/model.onnx",
	"models/deberta-open-s42/tokenizer.json", "models/deberta-open-s42/model.lock.json",
}

// checkedOut returns the files of the checkout that git does not ignore.
func checkedOut(root string) ([]file, error) {
	args := append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--"}, taken...)
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git cannot list the files of %s: %w", root, err)
	}
	var files []file
	for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		from := filepath.Join(root, filepath.FromSlash(string(name)))
		info, err := os.Lstat(from)
		if os.IsNotExist(err) {
			continue // deleted since the commit
		}
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no plain file; a release holds no others", name)
		}
		files = append(files, file{name: string(name), from: from, program: info.Mode()&0o100 != 0})
	}
	return files, nil
}

// built returns what release.sh made for a processor.
func built(root, arch string) []file {
	made := filepath.Join(root, ".build", "release", "made", arch)
	return []file{
		{name: "bin/pidsbench", from: filepath.Join(made, "pidsbench"), program: true},
		{name: "third_party/lib/libonnxruntime.so", from: filepath.Join(root, ".build", "release", "native", arch, "libonnxruntime.so")},
		{name: "THIRD-PARTY-LICENCES", from: filepath.Join(made, "THIRD-PARTY-LICENCES")},
		{name: "sbom.cdx.json", from: filepath.Join(made, "sbom.cdx.json")},
		{name: "BUILD", from: filepath.Join(made, "BUILD")},
	}
}

// complete names what a release lacks, and what it may not hold.
func complete(files []file) error {
	have := map[string]bool{}
	var texts []string
	for _, f := range files {
		have[f.name] = true
		if dir := path.Dir(f.name) + "/"; strings.HasPrefix(dir, "data/open/") || strings.HasPrefix(dir, "data/external/") ||
			strings.HasPrefix(dir, "models/.") {
			texts = append(texts, f.name)
		}
	}
	var lacks []string
	for _, name := range needed {
		if !have[name] {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("the release lacks %s", strings.Join(lacks, ", "))
	}
	if len(texts) > 0 {
		return fmt.Errorf("%s is other people's, fetched here, and may not be in a release", texts[0])
	}
	return nil
}
