package demo

import (
	"context"
	"errors"
	"os"
	"syscall"

	"leasetop/demo/worker"
)

// childAttr puts a child in a group of its own, where no ^C of the console
// reaches it.
func childAttr(worker.Role) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// canStop reports whether the system can stop a process.
const canStop = false

func stop(context.Context, int) error { return errors.ErrUnsupported }

func carryOn(int) error { return errors.ErrUnsupported }

// killGroup ends a child.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// errorNoData is what a write to a pipe without a reader ends with.
const errorNoData = syscall.Errno(232)

func brokenPipe(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errorNoData)
}
