package server

import "syscall"

// childAttr puts the child in a group of its own, so that ^C in a console does
// not reach it before its owner has cleaned up.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Windows knows one way to tell a process anything: its end. Freeze and Thaw do
// nothing there.
const (
	sigStop = syscall.Signal(0x7f)
	sigCont = syscall.Signal(0x7f)
	sigTerm = syscall.SIGKILL
)
