//go:build cgo && !nonative && (linux || darwin)

package onnx

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pidsbench/internal/fault"
	"pidsbench/internal/testenv"
)

func TestTheLibraryDeclaresTheVersionThatItIs(t *testing.T) {
	needLibrary(t)
	version, err := RuntimeVersion()
	if err != nil {
		t.Fatal(err)
	}
	if got := declaredVersion(); got != version && runtime.GOOS == "linux" {
		t.Errorf("declared %q, is %q", got, version)
	}
}

func TestLibraryIsFoundByPathAlone(t *testing.T) {
	dir := t.TempDir()
	write(t, nil, dir, libraryName())
	t.Setenv("PIDSBENCH_ORT_LIB", filepath.Join(dir, libraryName()))
	if path, err := LibraryPath(); err != nil || path != filepath.Join(dir, libraryName()) {
		t.Errorf("path %q, %v", path, err)
	}
	_, err := probeLibrary(filepath.Join(dir, libraryName()))
	checkFault(t, err, fault.Incomplete, "cannot be loaded as ONNX Runtime")
	t.Setenv("PIDSBENCH_ORT_LIB", libraryName())
	_, err = LibraryPath()
	checkFault(t, err, fault.Usage, "expected an absolute path")
	t.Setenv("PIDSBENCH_ORT_LIB", filepath.Join(dir, "absent.so"))
	_, err = LibraryPath()
	checkFault(t, err, fault.Usage, "where there is no file")

	t.Setenv("PIDSBENCH_ORT_LIB", "")
	write(t, nil, dir, "root", "third_party", "lib", libraryName())
	t.Setenv("PIDSBENCH_ROOT", filepath.Join(dir, "root"))
	if path, err := LibraryPath(); err != nil || path != filepath.Join(dir, "root", "third_party", "lib", libraryName()) {
		t.Errorf("path %q, %v", path, err)
	}
	t.Setenv("PIDSBENCH_ROOT", "")
	write(t, nil, dir, "other", "third_party", "lib", libraryName())
	write(t, nil, dir, "other", "a", "b", "file")
	t.Chdir(filepath.Join(dir, "other", "a", "b"))
	if path, err := LibraryPath(); err == nil {
		t.Errorf("native code is taken from %q, which is in no project", path)
	}
	write(t, nil, dir, "other", "configs", "benchmark.yaml")
	want, _ := filepath.EvalSymlinks(filepath.Join(dir, "other", "third_party", "lib", libraryName()))
	if path, err := LibraryPath(); err != nil || path != want {
		t.Errorf("path %q, %v, expected %q", path, err, want)
	}
	remove(t, dir, "other", "third_party")
	_, err = LibraryPath()
	checkFault(t, err, fault.Incomplete, "neither beside the executable nor in third_party/lib; run `make native`")
}

// buildLibrary compiles a shared library that stands in for a wrong ONNX Runtime.
func buildLibrary(t *testing.T, source string) string {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		testenv.Missing(t, "a C compiler")
	}
	dir := t.TempDir()
	write(t, []byte(source), dir, "lib.c")
	path := filepath.Join(dir, libraryName())
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", path, filepath.Join(dir,
		"lib.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestLibraryOfAnotherVersionIsNamed(t *testing.T) {
	const api = `
static const void *get_api(unsigned version) { return 0; }
static const char *get_version(void) { return "VERSION"; }
static const struct { const void *(*api)(unsigned); const char *(*version)(void); } base = {get_api, get_version};
const void *OrtGetApiBase(void) { return &base; }
`
	for version, want := range map[string]string{
		"1.20.1": "is ONNX Runtime 1.20.1, which serves API 20; expected 1.24 or later, for API 24",
		"2.0.0":  "is ONNX Runtime 2.0.0",
		"beta":   "is ONNX Runtime beta",
	} {
		_, err := probeLibrary(buildLibrary(t, strings.ReplaceAll(api, "VERSION", version)))
		checkFault(t, err, fault.Incomplete, want)
	}
	if v, err := probeLibrary(buildLibrary(t, strings.ReplaceAll(api, "VERSION", "1.24.3"))); err != nil || v != "1.24.3" {
		t.Errorf("version %q, %v", v, err)
	}
	_, err := probeLibrary(buildLibrary(t, "int nothing;"))
	checkFault(t, err, fault.Incomplete, "it has no OrtGetApiBase")
	_, err = probeLibrary(filepath.Join(t.TempDir(), "absent.so"))
	checkFault(t, err, fault.Incomplete, "cannot be loaded as ONNX Runtime")
}

func TestVersionsAreKnown(t *testing.T) {
	needLibrary(t)
	if v, err := RuntimeVersion(); err != nil || !strings.HasPrefix(v, "1.") {
		t.Errorf("runtime %q, %v", v, err)
	}
	if v, err := TokenizersVersion(); err != nil || v != "1.22.1" {
		t.Errorf("tokenizers %q, %v", v, err)
	}
}
