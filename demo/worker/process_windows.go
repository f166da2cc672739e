package worker

import (
	"os"
	"time"
)

// endProcess ends a process.
func endProcess(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// awaitEnd waits until the process is gone, at most for limit.
func awaitEnd(pid int, limit time.Duration) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	ended := make(chan struct{})
	// It may outlive awaitEnd by as long as the process does; the guard that
	// called it ends right after.
	go func() { _, _ = p.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(limit):
	}
}
