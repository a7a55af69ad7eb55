//go:build unix

package packages

import (
	"os/exec"
	"syscall"
)

// killTree makes the end of the command's context kill the command and all it started: python3 is often a wrapper whose
// child would live on.
func killTree(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
