//go:build unix

package worker

import (
	"syscall"
	"time"
)

// endProcess ends a process and its group, also when it is stopped.
func endProcess(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// awaitEnd waits until the process is gone, at most for limit: a process that
// nobody reaps stays in the table although it does nothing more.
func awaitEnd(pid int, limit time.Duration) {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return
		}
	}
}
