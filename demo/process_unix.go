//go:build unix

package demo

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

// canStop reports whether the system can stop a process.
const canStop = true

// stop stops a child for real and returns when the system says that it stands.
func stop(ctx context.Context, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop process %d: %w", pid, err)
	}
	if err := awaitStop(ctx, pid); err != nil {
		return fmt.Errorf("wait until process %d stands: %w", pid, err)
	}
	return nil
}

// carryOn lets a stopped child go on.
func carryOn(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		return fmt.Errorf("let process %d go on: %w", pid, err)
	}
	return nil
}

// killGroup ends a child with its group, stopped or not.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
