//go:build !unix

package process

import (
	"os"
	"syscall"
)

func group() *syscall.SysProcAttr { return nil }

// killGroup ends a program, but not what it started.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
