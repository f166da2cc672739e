package peers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// stamp is in node_modules and says which lock file it was installed from.
const stamp = "node/node_modules/.installed"

// installed brings the libraries for JavaScript here, once.
var installed = sync.OnceValue(func() error {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return err
		}
	}
	lock, err := os.ReadFile("node/package-lock.json")
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, lock) {
		return nil
	}
	cmd := exec.Command("npm", "ci")
	cmd.Dir = "node"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return os.WriteFile(stamp, lock, 0o644)
})

// needNode skips a test where node or its packages are not to be had; in CI
// that is a failure.
func needNode(t *testing.T) {
	t.Helper()
	if err := installed(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("the libraries for JavaScript cannot run: %v", err)
		}
		t.Skipf("the libraries for JavaScript do not run here: %v", err)
	}
}

// peer is a process with a client of a library.
type peer struct {
	s    *scene
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	err  bytes.Buffer
	once sync.Once
}

func (s *scene) peer(library string) *peer {
	s.Helper()
	p := &peer{s: s, cmd: exec.Command("node", "peer.js", library, strconv.Itoa(s.srv.Port()))}
	p.cmd.Dir = filepath.Join(".", "node")
	p.cmd.Stderr = &p.err
	in, err := p.cmd.StdinPipe()
	s.must(err)
	out, err := p.cmd.StdoutPipe()
	s.must(err)
	p.in, p.out = in, bufio.NewScanner(out)
	s.must(p.cmd.Start())
	s.Cleanup(p.kill)
	if v, err := p.answer(); v != "ready" {
		s.Fatalf("%s: %q, %v\n%s", library, v, err, p.stderr())
	}
	return p
}

// kill ends the process as a crash does: nothing is released.
func (p *peer) kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
}

func (p *peer) stderr() string { p.kill(); return p.err.String() }

// answer reads a line. A peer that gives none in time is killed, which ends the
// wait.
func (p *peer) answer() (string, error) {
	defer time.AfterFunc(limit, p.kill).Stop()
	if !p.out.Scan() {
		return "", fmt.Errorf("no answer: %w", errors.Join(p.out.Err(), io.EOF))
	}
	var a struct{ Value, Error string }
	if err := json.Unmarshal(p.out.Bytes(), &a); err != nil {
		return "", fmt.Errorf("%q: %w", p.out.Bytes(), err)
	}
	if a.Error != "" {
		return "", errors.New(a.Error)
	}
	return a.Value, nil
}

func (p *peer) call(method string, args ...any) (string, error) {
	line, err := json.Marshal(append([]any{method}, args...))
	p.s.must(err)
	_, err = p.in.Write(append(line, '\n'))
	p.s.must(err)
	return p.answer()
}

// does calls what must succeed.
func (p *peer) does(method string, args ...any) string {
	p.s.Helper()
	v, err := p.call(method, args...)
	if err != nil {
		p.s.Fatalf("%s %v: %v\n%s", method, args, err, p.stderr())
	}
	return v
}

// refused calls what must fail because another holds the lock.
func (p *peer) refused(method string, args ...any) {
	p.s.Helper()
	if v, err := p.call(method, args...); err == nil {
		p.s.Fatalf("%s %v: got it: %q", method, args, v)
	}
	p.s.quiet()
}
