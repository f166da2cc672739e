//go:build unix

package server

import "syscall"

// The signals that a server is told by.
const (
	sigStop = syscall.SIGSTOP
	sigCont = syscall.SIGCONT
	sigTerm = syscall.SIGTERM
)
