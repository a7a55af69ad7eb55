package inventory

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"pidsbench/internal/fault"
)

// pinnedRuntime is the version in the set-up script.
var pinnedRuntime = regexp.MustCompile(`(?m)^VERSION = "([0-9.]+)"$`)

// runtime returns ONNX Runtime. Its wheel has the notices of what it is built of; its own licence, which the wheel only
// names, lies beside the licence check.
func runtime(root, arch string) ([]Component, error) {
	script, err := os.ReadFile(filepath.Join(root, "tools", "setup", "onnxruntime.py"))
	if err != nil {
		return nil, err
	}
	m := pinnedRuntime.FindSubmatch(script)
	if m == nil {
		return nil, fault.New(fault.Failed, "tools/setup/onnxruntime.py pins no version")
	}
	version := string(m[1])
	name := "onnxruntime-" + version + "-cp311-cp311-manylinux_2_28_" +
		map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch] + ".whl"
	dir := os.Getenv("PIDSBENCH_SOURCES")
	if dir == "" {
		dir = filepath.Join(root, ".build", "packages")
	}
	wheel := filepath.Join(dir, name)
	data, err := os.ReadFile(wheel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Incomplete, "%s: no file %s", dir, name).
			WithCure("fetch it with `tools/setup/onnxruntime.py --mirror .build/packages`")
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	notices, err := fromZip(wheel, "onnxruntime/ThirdPartyNotices.txt")
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(root, "tools", "licences", "onnxruntime.txt"))
	if err != nil {
		return nil, err
	}
	c := Component{Kind: Native, Name: "onnxruntime", Version: version, SHA256: hex.EncodeToString(sum[:]), Shipped: true,
		Texts: []Text{{Name: "licence", Body: licence}, {Name: "ThirdPartyNotices.txt", Body: notices}}}
	c.Licence = classify(c.Texts)
	return []Component{c}, nil
}

func fromZip(path, member string) ([]byte, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	f, err := z.Open(member)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
