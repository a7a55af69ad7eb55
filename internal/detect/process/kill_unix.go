//go:build unix

package process

import "syscall"

// killGroup ends a program and all that it started in its group.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
