package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"leasetop/demo/server"
)

// terminal is leasetop on a terminal of its own, with what it shows.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File // kept open, so that its settings can be asked for at the end
	before *term.State
	stderr bytes.Buffer
	done   chan error

	mu    sync.Mutex
	emu   *vt.Emulator
	bytes bytes.Buffer
}

// built is the program as users build it. The scripts run this test binary
// instead; a screen cannot, because the terminal reader of Bubble Tea closes a
// file that it may still wait on, at the very end, which harms nothing but which
// the race detector reports on stderr.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if buildDir, err = os.MkdirTemp("", "leasetop-test-"); err != nil {
		return "", err
	}
	program := filepath.Join(buildDir, "leasetop")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

var buildDir string

// runInTerminal starts leasetop. Its stderr is a pipe, so that whatever gets
// there is seen.
func runInTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 30, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t: t, master: master, tty: tty, before: before, done: make(chan error, 1), emu: vt.NewEmulator(120, 30)}
	s.cmd = exec.Command(program, args...)
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "REDIS_URL=", "REDISCLI_AUTH=", "NO_COLOR=", "LC_ALL=C.UTF-8")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, &s.stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.show()
	// What the terminal answers to the program's questions is typed back.
	go func() { _, _ = io.Copy(master, s.emu) }()
	go func() { s.done <- s.cmd.Wait() }()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = master.Close()
		_ = tty.Close()
	})
	return s
}

// show draws what the program writes until the terminal is closed.
func (s *terminal) show() {
	buf := make([]byte, 32<<10)
	for {
		n, err := s.master.Read(buf)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.bytes.Write(buf[:n])
		_, _ = s.emu.Write(buf[:n])
		s.mu.Unlock()
	}
}

func (s *terminal) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.String()
}

func (s *terminal) until(what string, ok func(screen string) bool) {
	s.t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		screen := s.screen()
		if ok(screen) {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("never: %s\n%s\nstderr: %s", what, screen, s.stderr.String())
		}
	}
}

func (s *terminal) sees(text string) {
	s.t.Helper()
	s.until("sees "+text, func(screen string) bool { return strings.Contains(screen, text) })
}

func (s *terminal) press(keys string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end and holds that the terminal is as it was.
func (s *terminal) ends() {
	s.t.Helper()
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Errorf("it ended with %v\n%s", err, s.stderr.String())
		}
	case <-time.After(limit):
		s.t.Fatalf("it has not ended\n%s", s.screen())
	}
	after, err := term.GetState(s.tty.Fd())
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(fmt.Sprint(*s.before), fmt.Sprint(*after)); diff != "" {
		s.t.Errorf("the terminal's settings have changed: %s", diff)
	}
	s.until("leaves the screen", func(string) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		b := s.bytes.Bytes()
		left, shown := bytes.LastIndex(b, []byte("\x1b[?1049l")), bytes.LastIndex(b, []byte("\x1b[?25h"))
		return left > bytes.LastIndex(b, []byte("\x1b[?1049h")) && shown > bytes.LastIndex(b, []byte("\x1b[?25l"))
	})
	if s.stderr.Len() > 0 {
		s.t.Errorf("stderr: %s", s.stderr.String())
	}
}

// lockServer is a private server with notifications on.
func lockServer(t *testing.T) (*server.Server, *redis.Client) {
	t.Helper()
	s, err := server.Start(context.Background(), server.Options{Args: []string{"--notify-keyspace-events", "KEg$lshzxen"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	c := redis.NewClient(&redis.Options{Addr: s.Addr(), DisableIdentity: true})
	t.Cleanup(func() { _ = c.Close() })
	return s, c
}

func TestScreenShowsALockAndGivesTheTerminalBack(t *testing.T) {
	s, c := lockServer(t)
	ctx := context.Background()
	if err := c.Set(ctx, "lock:held", "owner-one", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	term := runInTerminal(t, "-p", fmt.Sprint(s.Port()), "lock:*")
	term.sees("lock:held")
	if err := c.Set(ctx, "lock:new", "owner-two", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	term.sees("lock:new")
	term.sees("ACQUIRED")
	if err := c.Del(ctx, "lock:new").Err(); err != nil {
		t.Fatal(err)
	}
	term.sees("RELEASED")
	term.press("q")
	term.ends()
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	s, _ := lockServer(t)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		term := runInTerminal(t, "-p", fmt.Sprint(s.Port()), "lock:*")
		term.sees("127.0.0.1")
		if err := term.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		term.ends()
	}
}

func TestScreenOutlivesItsServer(t *testing.T) {
	s, c := lockServer(t)
	if err := c.Set(context.Background(), "lock:held", "owner-one", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	term := runInTerminal(t, "-p", fmt.Sprint(s.Port()), "lock:*")
	term.until("is live", func(screen string) bool {
		return strings.Contains(screen, "lock:held") && strings.Contains(screen, "live:")
	})
	s.Kill()
	term.until("says that it is blind and keeps what it knew", func(screen string) bool {
		return strings.Contains(screen, "lock:held") && !strings.Contains(screen, "live:")
	})
	if err := s.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
	term.until("is live again, and the lease is lost", func(screen string) bool {
		return strings.Contains(screen, "live:") && strings.Contains(screen, "LOST")
	})
	term.press("q")
	term.ends()
}

func TestScreenWithoutAServerSaysSoInWords(t *testing.T) {
	term := runInTerminal(t, "-p", "1", "lock:*")
	select {
	case <-term.done:
	case <-time.After(limit):
		t.Fatalf("it goes on\n%s", term.screen())
	}
	if got := term.stderr.String(); !strings.Contains(got, "leasetop: connect to 127.0.0.1:1") || !strings.Contains(got, "\nhint: ") {
		t.Errorf("stderr: %q", got)
	}
	if got := term.cmd.ProcessState.ExitCode(); got != exitServer {
		t.Errorf("status %d", got)
	}
}

func TestDemoIsPlayedOnItsPage(t *testing.T) {
	term := runInTerminal(t, "demo", "token", "--ttl", "300ms")
	term.sees("step 1 of 7")
	term.press(" ")
	term.sees("as its lesson says")
	term.sees("RELEASED")
	term.press("\x1b[D\x1b[D")
	term.sees("step 5 of 7")
	term.press("t")
	term.sees("late release refused")
	term.press("q")
	term.ends()
}

func TestDemoIsPlayedOnTheWatchedServer(t *testing.T) {
	s, c := lockServer(t)
	term := runInTerminal(t, "-p", fmt.Sprint(s.Port()))
	term.sees("No lock is held")
	term.press("d")
	term.sees("step 2 of 7")
	term.press("q")
	term.ends()
	if left, err := c.Keys(context.Background(), "*").Result(); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWorkersLieBesideTheirLease(t *testing.T) {
	s, c := lockServer(t)
	log := filepath.Join(t.TempDir(), "app.log")
	if err := os.WriteFile(log, []byte("nothing that fits\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	term := runInTerminal(t, "-p", fmt.Sprint(s.Port()), "--workers", log, "lock:*")
	term.sees("line 1, no JSON")
	if err := c.Set(context.Background(), "lock:a", "token-a", 2*time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	term.sees("lock:a")
	now := time.Now().UTC()
	line := `{"key":"lock:a","at":"%s","jobId":"j","executionId":"attempt-a","pod":"worker-a","event":"%s","elapsedMs":0,"owner":"token-a"}` + "\n"
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, event := range []string{"acquired", "job_start"} {
		if _, err := fmt.Fprintf(f, line, now.Format(time.RFC3339Nano), event); err != nil {
			t.Fatal(err)
		}
	}
	term.press("\r")
	term.sees("worker-a")
	term.sees("past its lease")
	term.press("q")
	term.ends()
}

func TestDemoShowsItsLeases(t *testing.T) {
	term := runInTerminal(t, "demo")
	term.sees("lease-demo:")
	term.sees("ACQUIRED")
	term.press("q")
	term.ends()
}

func TestDemoNeedsNoServer(t *testing.T) {
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "demo", "token", "--json", "--ttl", "500ms")
	cmd.Env = []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	// Without notifications the end of A's lease is seen as an expiry only when a
	// reading falls between it and B's acquisition.
	ended := strings.Contains(string(out), `"change":"expired"`) || strings.Contains(string(out), `"change":"replaced"`)
	if err != nil || !strings.Contains(string(out), `"kind":"verdict"`) || !ended {
		t.Errorf("%v\n%s", err, out)
	}
}
