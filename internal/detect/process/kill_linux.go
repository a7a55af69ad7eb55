package process

import "syscall"

// group puts a program into a process group of its own, and has it killed when this process is killed. That signal comes
// when the thread that started the program ends, so that thread has to be kept.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
