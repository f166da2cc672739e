//go:build unix

package watcher

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
)

// The process is stopped for longer than a lease: a gap, and what ended in it
// is found. The watcher runs in a process of its own, which can be stopped.
func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--notify-keyspace-events", allEvents)
	c := client(t, s)
	do(t, c, "set lock:a one px 1000")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
	cmd.Env = append(os.Environ(), "LEASETOP_TEST_ADDR="+s.Addr())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := make(chan string, 1024)
	go func() {
		defer close(lines)
		b := make([]byte, 4096)
		rest := ""
		for {
			n, err := out.Read(b)
			rest += string(b[:n])
			for {
				line, more, ok := strings.Cut(rest, "\n")
				if !ok {
					break
				}
				lines <- line
				rest = more
			}
			if err != nil {
				return
			}
		}
	}()
	await := func(prefix string) {
		t.Helper()
		var seen []string
		for end := time.After(limit); ; {
			select {
			case line, ok := <-lines:
				if strings.HasPrefix(line, prefix) {
					return
				}
				if seen = append(seen, line); !ok {
					t.Fatalf("the process ended without %q: %q", prefix, seen)
				}
			case <-end:
				t.Fatalf("no %q within %v: %q", prefix, limit, seen)
			}
		}
	}
	await("synced")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the lease", func() bool { return c.Exists(t.Context(), "lock:a").Val() == 0 })
	do(t, c, "set lock:b two")
	<-time.After(suspended) // the stop must last longer than what counts as one
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	await("gap leasetop itself was stopped")
	await("recovered")
}

func TestHelperProcess(t *testing.T) {
	addr := os.Getenv("LEASETOP_TEST_ADDR")
	if addr == "" {
		t.Skip("runs for TestStoppedProcess")
	}
	p, err := keyspace.ParsePatterns([]string{"lock:*"})
	if err != nil {
		t.Fatal(err)
	}
	_ = New(Config{Addr: addr, Patterns: p}).Run(context.Background(), func(batch []model.Input) {
		for _, in := range batch {
			if in.Health != nil {
				_, _ = os.Stdout.WriteString(string(in.Health.State) + " " + in.Health.Detail + "\n")
			}
		}
	})
}
