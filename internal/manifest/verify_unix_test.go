//go:build unix

package manifest

import (
	"os"
	"syscall"
	"testing"

	"pidsbench/internal/testenv"
)

func TestVerifyDoesNotWaitForAPipe(t *testing.T) {
	m, dir := edition(t)
	must(t, os.Remove(dir+"/test.csv"))
	if err := syscall.Mkfifo(dir+"/test.csv", 0o644); err != nil {
		testenv.Missing(t, "named pipes: "+err.Error())
	}
	_, err := Verify(m, dir)
	checkError(t, err, dir+"/test.csv is a device or pipe, expected a file; build the data again with `pidsbench "+
		"data build`")
}

func TestVerifyNamesAFileWithoutPermission(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may read every file")
	}
	m, dir := edition(t)
	must(t, os.Chmod(dir+"/test.csv", 0))
	_, err := Verify(m, dir)
	checkError(t, err, dir+"/test.csv cannot be read: permission denied; make it readable, or build the data again "+
		"with `pidsbench data build`")
}
