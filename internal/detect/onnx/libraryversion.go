package onnx

import (
	"debug/elf"
	"strings"
	"sync"
)

// declaredVersion returns the version that the ONNX Runtime library declares in its table of symbol versions, read from
// the file: score files name it, and most commands read them without loading the library. It is empty where there is no
// library or where the format of the file has no such table (macOS).
var declaredVersion = sync.OnceValue(func() string {
	path, err := LibraryPath()
	if err != nil {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	versions, err := f.DynamicVersions()
	if err != nil {
		return ""
	}
	for _, v := range versions {
		if number, ok := strings.CutPrefix(v.Name, "VERS_"); ok {
			return number
		}
	}
	return ""
})
