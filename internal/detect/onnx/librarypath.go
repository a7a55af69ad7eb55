package onnx

import (
	"os"
	"path/filepath"
	"runtime"

	"pidsbench/internal/fault"
)

// LibraryPath returns the absolute path of the ONNX Runtime shared library: the file that PIDSBENCH_ORT_LIB names, else
// the one beside the executable, else third_party/lib/ below PIDSBENCH_ROOT, or below the nearest project (a folder with
// configs/benchmark.yaml) above the working folder or the executable. Native code is taken from nowhere else. It does
// not load it. The error says where it was looked for.
func LibraryPath() (string, error) {
	if path := os.Getenv("PIDSBENCH_ORT_LIB"); path != "" {
		if !filepath.IsAbs(path) {
			return "", fault.New(fault.Usage, "PIDSBENCH_ORT_LIB holds %q, expected an absolute path", path).
				WithCure("set it to the whole path of %s, or unset it", libraryName())
		}
		if !isFile(path) {
			return "", fault.New(fault.Usage, "PIDSBENCH_ORT_LIB holds %q, where there is no file", path).
				WithCure("set it to the whole path of %s, or unset it", libraryName())
		}
		return path, nil
	}
	var places []string
	built := filepath.Join("third_party", "lib", libraryName())
	exe, err := os.Executable()
	if err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		places = append(places, filepath.Join(filepath.Dir(exe), libraryName()))
	}
	if root := os.Getenv("PIDSBENCH_ROOT"); root != "" {
		places = append(places, filepath.Join(root, built))
	}
	if cwd, err := os.Getwd(); err == nil {
		places = appendProject(places, cwd, built)
	}
	if exe != "" {
		places = appendProject(places, filepath.Dir(exe), built)
	}
	for _, place := range places {
		if abs, err := filepath.Abs(place); err == nil && isFile(abs) {
			return abs, nil
		}
	}
	return "", fault.New(fault.Incomplete,
		"the ONNX Runtime library %s is neither beside the executable nor in third_party/lib",
		libraryName()).WithCure("run `make native`, or set PIDSBENCH_ORT_LIB to its path")
}

// appendProject adds the path below the nearest project at or above dir, if there is one.
func appendProject(places []string, dir, rest string) []string {
	for {
		if isFile(filepath.Join(dir, "configs", "benchmark.yaml")) {
			return append(places, filepath.Join(dir, rest))
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return places
		}
		dir = parent
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func libraryName() string {
	if runtime.GOOS == "darwin" {
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so"
}
