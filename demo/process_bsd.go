//go:build unix && !linux

package demo

import (
	"context"
	"syscall"
	"time"

	"leasetop/demo/worker"
)

// childAttr puts a worker in a group of its own, where no ^C of the terminal
// reaches it: when this process dies, a stopped member of the group gets SIGHUP
// and SIGCONT, and the guard ends whoever is left. A guard must outlive this
// process, and gets a session of its own.
func childAttr(role worker.Role) *syscall.SysProcAttr {
	if role == worker.RoleGuard {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitStop waits until the system says that a child of ours has stopped.
func awaitStop(ctx context.Context, pid int) error {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(pid, &status, syscall.WUNTRACED|syscall.WNOHANG, nil)
		if err != nil && err != syscall.EINTR || got == pid {
			return err
		}
		if err := wait(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}
