//go:build cgo && !nonative && (linux || darwin)

package onnx

/*
#cgo LDFLAGS: -L${SRCDIR}/../../../third_party/lib -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Links only with the archive of this version; so does the wrapper.
extern void tokenizers_version_1_22_1(void);
static void *pidsbench_tokenizers(void) { return (void *) tokenizers_version_1_22_1; }

typedef struct {
	const void *(*get_api)(uint32_t);
	const char *(*get_version)(void);
} api_base;

// pidsbench_runtime_version returns the version of an ONNX Runtime library, or NULL with the reason in *why. Both are
// to be freed. A library that answers stays loaded.
static char *pidsbench_runtime_version(const char *path, char **why) {
	void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (lib == NULL) {
		*why = strdup(dlerror());
		return NULL;
	}
	const api_base *(*get_base)(void) = (const api_base *(*)(void)) dlsym(lib, "OrtGetApiBase");
	const api_base *base = get_base == NULL ? NULL : get_base();
	if (base == NULL || base->get_version == NULL) {
		*why = strdup("it has no OrtGetApiBase");
		dlclose(lib);
		return NULL;
	}
	return strdup(base->get_version());
}
*/
import "C"

import (
	"strconv"
	"strings"
	"sync"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"pidsbench/internal/fault"
)

// apiVersion is the ONNX Runtime API that the Go wrapper is written for; release 1.N serves the API versions up to N.
const apiVersion = 24

// loadLibrary loads the ONNX Runtime library once in the life of the process and returns its version.
var loadLibrary = sync.OnceValues(func() (string, error) {
	path, err := LibraryPath()
	if err != nil {
		return "", err
	}
	version, err := probeLibrary(path)
	if err != nil {
		return "", err
	}
	ort.SetSharedLibraryPath(path)
	// What the runtime would print, it also returns as an error.
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return "", fault.New(fault.Incomplete, "%s (ONNX Runtime %s) cannot be started: %w", path, version, err).
			WithCure("run `make native`")
	}
	return version, nil
})

// probeLibrary returns the version of the library at path; an error when it is none or too old. The wrapper's own check
// prints to standard error and returns a bare number.
func probeLibrary(path string) (string, error) {
	cPath := C.CString(path)
	defer C.free(unsafe.Pointer(cPath))
	var why *C.char
	found := C.pidsbench_runtime_version(cPath, &why)
	if found == nil {
		defer C.free(unsafe.Pointer(why))
		return "", fault.New(fault.Incomplete, "%s cannot be loaded as ONNX Runtime: %s", path, C.GoString(why)).
			WithCure("run `make native`, or set PIDSBENCH_ORT_LIB to the library's path")
	}
	defer C.free(unsafe.Pointer(found))
	version := C.GoString(found)
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	if n, err := strconv.Atoi(minor); major != "1" || err != nil || n < apiVersion {
		return "", fault.New(fault.Incomplete,
			"%s is ONNX Runtime %s, which serves API %s; expected 1.%d or later, for API %d",
			path, version, minor, apiVersion, apiVersion).
			WithCure("run `make native`, or set PIDSBENCH_ORT_LIB to a newer library")
	}
	return version, nil
}

// RuntimeVersion loads the ONNX Runtime library and returns its version, for example "1.30.0".
func RuntimeVersion() (string, error) { return loadLibrary() }

// TokenizersVersion returns the version of the tokenizers library that is linked in, "1.22.1". The linker has checked
// it: the archive carries a symbol named after its version.
func TokenizersVersion() (string, error) {
	if C.pidsbench_tokenizers() == nil {
		return "", fault.New(fault.Incomplete, "the tokenizers library is not linked in").WithCure("run `make native`")
	}
	return "1.22.1", nil
}
