package demo_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"leasetop/demo"
	"leasetop/demo/server"
)

// everywhere asks for the end of the demo at each step of each scenario by each
// signal: go test ./demo -run Ends -everywhere
var everywhere = flag.Bool("everywhere", false, "end the demo at each step of each scenario")

// stat is the state letter and the parent of a process, as /proc has them; an
// empty state is a process that is gone.
func stat(pid int) (state string, parent int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// childrenOf are the processes that a process has started.
func childrenOf(pid int) []int {
	var children []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if child, err := strconv.Atoi(e.Name()); err == nil {
			if _, parent := stat(child); parent == pid {
				children = append(children, child)
			}
		}
	}
	return children
}

// gone reports whether a process does nothing more. One that nobody reaped yet
// is only an entry in a table.
func gone(pid int) bool {
	state, _ := stat(pid)
	return state == "" || state == "Z" || state == "X"
}

func startReal(t *testing.T, args ...string) *server.Server {
	t.Helper()
	s, err := server.Start(t.Context(), server.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// startProgram starts a process that plays some steps and waits until it has.
func startProgram(t *testing.T, addr, scenario, run string, steps int, ttl string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "demo-program", addr, scenario, run, strconv.Itoa(steps), ttl)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "played\n" {
		t.Fatalf("the program said %q (%v)", line, err)
	}
	return cmd
}

// nothingLeft waits until no process, key or folder of a run is left.
func nothingLeft(t *testing.T, addr, run string, children []int) {
	t.Helper()
	for _, pid := range children {
		until(t, fmt.Sprintf("process %d ends", pid), func() bool { return gone(pid) })
	}
	c := plainClient(t, addr)
	until(t, "the keys are gone", func() bool {
		keys, err := c.Keys(t.Context(), demo.Prefix+run+"*").Result()
		return err == nil && len(keys) == 0
	})
	until(t, "the folder is gone", func() bool {
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "leasetop-demo-"+run+"-*"))
		return len(left) == 0
	})
}

func TestNothingIsLeftWhenTheDemoEnds(t *testing.T) {
	s := startReal(t)
	for _, info := range demo.Scenarios() {
		for step := range len(info.Steps) {
			// By default: each step of one story, and what is hardest to clean up.
			hard := info.Name == "token" || info.Name == "orphan" && step == 2 || info.Name == "failover" && step == 4
			if !hard && !*everywhere {
				continue
			}
			signals := []syscall.Signal{syscall.SIGKILL}
			if step == 2 || *everywhere {
				signals = append(signals, syscall.SIGINT, syscall.SIGTERM)
			}
			for _, sig := range signals {
				t.Run(fmt.Sprintf("%s step %d %v", info.Name, step, sig), func(t *testing.T) {
					t.Parallel()
					run := fmt.Sprintf("%s%d%d", info.Name, step, sig)
					p := startProgram(t, s.Addr(), info.Name, run, step, "800ms")
					children := childrenOf(p.Process.Pid)
					// The workers may have ended by themselves in the last step.
					if len(children) == 0 || step+1 < len(info.Steps) && len(children) < 2 {
						t.Fatalf("only %v were started", children)
					}
					if err := p.Process.Signal(sig); err != nil {
						t.Fatal(err)
					}
					nothingLeft(t, s.Addr(), run, children)
				})
			}
		}
	}
}

// A worker that is stopped must not be left standing when the demo is killed,
// also where the guard cannot help.
func TestAStoppedWorkerDiesWithTheDemo(t *testing.T) {
	s := startReal(t)
	p := startProgram(t, s.Addr(), "token", "alone", 2, "30s")
	children := childrenOf(p.Process.Pid)
	var workers []int
	for _, pid := range children {
		if session(pid) == pid {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the guard
		} else {
			workers = append(workers, pid)
		}
	}
	standing := 0
	for _, pid := range workers {
		if state, _ := stat(pid); state == "T" {
			standing++
		}
	}
	if standing != 1 || len(workers) != 2 {
		t.Fatalf("%d of %v stand", standing, workers)
	}
	_ = p.Process.Kill()
	for _, pid := range workers {
		until(t, fmt.Sprintf("worker %d dies", pid), func() bool { return gone(pid) })
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "leasetop-demo-alone-*"))
	for _, dir := range left {
		_ = os.RemoveAll(dir) // nobody else is left to do it
	}
}

func session(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	sid, _ := strconv.Atoi(fields[3])
	return sid
}

func TestPasswordsAreNoArguments(t *testing.T) {
	s := startReal(t, "--requirepass", "s3cret")
	p := startProgram(t, s.Addr(), "token", "secret", 1, "30s", "DEMO_PASSWORD=s3cret")
	children := childrenOf(p.Process.Pid)
	if len(children) != 3 {
		t.Fatalf("%v were started", children)
	}
	for _, pid := range children {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || bytes.Contains(args, []byte("s3cret")) || !bytes.Contains(args, []byte("demo-worker")) {
			t.Errorf("process %d was started as %q (%v)", pid, args, err)
		}
	}
	_ = p.Process.Signal(syscall.SIGTERM)
	for _, pid := range children {
		until(t, "the children end", func() bool { return gone(pid) })
	}
}
