package demo

import (
	"context"
	"syscall"

	"golang.org/x/sys/unix"

	"leasetop/demo/worker"
)

// childAttr puts a worker in a group of its own, where no ^C of the terminal
// reaches it, and has the kernel end it with this process, also when it is
// stopped. A guard must outlive this process, and gets a session of its own.
func childAttr(role worker.Role) *syscall.SysProcAttr {
	if role == worker.RoleGuard {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitStop waits until the system says that a child of ours has stopped.
func awaitStop(ctx context.Context, pid int) error {
	stopped := make(chan error, 1)
	// It ends when the child stops or ends, and Close ends it.
	go func() {
		for {
			err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil)
			if err != unix.EINTR {
				stopped <- err
				return
			}
		}
	}()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
