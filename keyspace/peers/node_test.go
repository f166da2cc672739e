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

var errEnded = errors.New("the process has ended")

// process is a node that runs clients, each of any library.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	err bytes.Buffer // read after done only

	mu    sync.Mutex
	calls map[int]chan reply // that wait; nil when the process has ended
	last  int
	done  chan struct{}
}

type reply struct {
	ID           int
	Value, Error string
}

func startProcess() (*process, error) {
	p := &process{cmd: exec.Command("node", "peer.js"), calls: make(map[int]chan reply), done: make(chan struct{})}
	p.cmd.Dir = "node"
	p.cmd.Stderr = &p.err
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in = in
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	// It ends with the process; done tells.
	go p.listen(out)
	return p, nil
}

func (p *process) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var r reply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			continue
		}
		p.mu.Lock()
		c := p.calls[r.ID]
		delete(p.calls, r.ID)
		p.mu.Unlock()
		if c != nil {
			c <- r
		}
	}
	_ = p.cmd.Wait()
	p.mu.Lock()
	p.calls = nil
	p.mu.Unlock()
	close(p.done)
}

// call asks a client for something; it may return errEnded.
func (p *process) call(client, method string, args ...any) (string, error) {
	if args == nil {
		args = []any{}
	}
	p.mu.Lock()
	if p.calls == nil {
		p.mu.Unlock()
		return "", errEnded
	}
	p.last++
	id, c := p.last, make(chan reply, 1)
	p.calls[id] = c
	line, err := json.Marshal(map[string]any{"id": id, "client": client, "method": method, "args": args})
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	p.mu.Unlock()
	if err != nil {
		return "", err
	}
	select {
	case r := <-c:
		if r.Error != "" {
			return "", errors.New(r.Error)
		}
		return r.Value, nil
	case <-p.done:
		return "", fmt.Errorf("%w: %s", errEnded, p.err.Bytes())
	case <-time.After(limit):
		return "", fmt.Errorf("no answer in %s", limit)
	}
}

// kill ends it as a crash does: nothing is released.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// shared is the process of all clients that need none of their own.
var (
	sharedMu sync.Mutex
	shared   *process
)

func sharedProcess() (*process, error) {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if shared == nil {
		p, err := startProcess()
		if err != nil {
			return nil, err
		}
		shared = p
	}
	return shared, nil
}

func endPeers() {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if shared != nil {
		shared.kill()
	}
}

// peer is a client of a library.
type peer struct {
	s    *scene
	p    *process
	name string
}

// peer opens a client in the common process.
func (s *scene) peer(library string) *peer {
	s.Helper()
	p, err := sharedProcess()
	s.must(err)
	return s.open(p, library)
}

// ownPeer opens a client in a process of its own, to be killed.
func (s *scene) ownPeer(library string) *peer {
	s.Helper()
	p, err := startProcess()
	s.must(err)
	s.Cleanup(p.kill)
	return s.open(p, library)
}

func (s *scene) open(p *process, library string) *peer {
	s.Helper()
	c := &peer{s: s, p: p}
	p.mu.Lock()
	p.last++
	c.name = fmt.Sprint("client ", p.last)
	p.mu.Unlock()
	c.does("open", library, s.srv.Port())
	s.Cleanup(func() { _, _ = p.call(c.name, "cut") })
	return c
}

// does calls what must succeed.
func (c *peer) does(method string, args ...any) string {
	c.s.Helper()
	v, err := c.p.call(c.name, method, args...)
	if err != nil {
		c.s.Fatalf("%s %v: %v", method, args, err)
	}
	return v
}

// refused calls what must fail because another holds the lock.
func (c *peer) refused(method string, args ...any) {
	c.s.Helper()
	v, err := c.p.call(c.name, method, args...)
	switch {
	case err == nil:
		c.s.Fatalf("%s %v: got it: %q", method, args, v)
	case errors.Is(err, errEnded):
		c.s.Fatal(err)
	}
	c.s.quiet()
}
