// Package testenv finds what tests need outside the package under test, and skips with a sentence where it is absent; and
// holds the one check of errors that tests share.
package testenv

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pidsbench/internal/fault"
)

// Root returns the top folder of the repository.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Shared returns the path of a file in the folder of public test data that lies beside the repository, and skips the
// test where that file is absent.
func Shared(t testing.TB, path string) string {
	t.Helper()
	full := filepath.Join(filepath.Dir(Root(t)), "shared", filepath.FromSlash(path))
	if _, err := os.Stat(full); err != nil {
		t.Skipf("needs ../shared/%s, which is not here", path)
	}
	return full
}

// Built returns the path of a file that `make test` builds or fetches first (native libraries, data, pulled models).
// Where it is absent the test is skipped, unless PIDSBENCH_REQUIRE_EXTRAS is set, as it is in CI: then it fails.
func Built(t testing.TB, path string) string {
	t.Helper()
	full := filepath.Join(Root(t), filepath.FromSlash(path))
	if _, err := os.Stat(full); err != nil {
		Missing(t, path+" (run `make test`, which makes it)")
	}
	return full
}

// Missing skips the test because an extra is absent, or fails it when PIDSBENCH_REQUIRE_EXTRAS is set.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("PIDSBENCH_REQUIRE_EXTRAS") != "" {
		t.Fatalf("needs %s, which is absent although PIDSBENCH_REQUIRE_EXTRAS is set", what)
	}
	t.Skipf("needs %s", what)
}

// WantFault fails the test unless err is one sentence of the kind with a cure that says all parts.
func WantFault(t testing.TB, err error, kind fault.Kind, parts ...string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != kind {
		t.Fatalf("error is %v, want one of kind %d", err, kind)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if f.Cure == "" || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q is not one sentence with a cure", err)
	}
}
