package demo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"leasetop/demo/worker"
	"leasetop/model"
)

// child is a process that this one started.
type child struct {
	name string
	cmd  *exec.Cmd
	log  *tail
	done chan struct{} // the process has ended and was waited for

	writing sync.Mutex
	in      io.WriteCloser

	// Guarded by the Run's mutex.
	reached  map[string]bool      // gates at which it waits
	acks     map[worker.Doing]int // orders carried out
	said     map[string]int       // events by name, and by name and outcome
	state    WorkerState
	ended    bool   // by itself
	gone     bool   // the process is gone and all that it said was read
	fail     string // why it could not go on
	owner    string
	fence    *int64
	acquired model.Instant // by its own clock
	paused   model.Instant // when the demo stopped it first; 0: never
	killed   model.Instant // when the demo ended it; 0: never
}

// start starts a child with its first line. What it says goes to out, which
// several children may share: their lines then come in the order of writing.
func start(command []string, setup worker.Setup, out *os.File) (*child, error) {
	cmd := exec.Command(command[0], command[1:]...)
	c := &child{
		name: setup.Name, cmd: cmd, log: &tail{}, done: make(chan struct{}), state: Waiting,
		reached: map[string]bool{}, acks: map[worker.Doing]int{}, said: map[string]int{},
	}
	cmd.Stdout, cmd.Stderr = out, c.log
	cmd.SysProcAttr = childAttr(setup.Role)
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("make a pipe to a %s: %w", setup.Role, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a %s as a process of its own: %w", setup.Role, err)
	}
	// Awaited through done; it ends when the process does, and Close ends that.
	go func() { _ = cmd.Wait(); close(c.done) }()
	if err := c.tell(setup); err != nil {
		c.end()
		return nil, fmt.Errorf("set up a %s: %w", setup.Role, err)
	}
	return c, nil
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// tell writes one line to the child's input.
func (c *child) tell(line any) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.in.Write(append(b, '\n'))
	return err
}

// order is tell for an Order. A child that is gone needs none.
func (c *child) order(o worker.Order) error {
	if err := c.tell(o); err != nil && !errors.Is(err, os.ErrClosed) && !brokenPipe(err) {
		return fmt.Errorf("tell worker %s to %s: %w", c.name, o.Do, err)
	}
	return nil
}

// end ends the process, stopped or not, and waits for its end.
func (c *child) end() {
	select {
	case <-c.done:
		// Its number may be another process's by now.
	default:
		killGroup(c.pid())
		<-c.done
	}
	c.hangUp()
}

// hangUp closes the child's input.
func (c *child) hangUp() {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.in.Close()
}

// tail keeps the end of what a child writes to stderr.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 2048

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	t.buf = t.buf[max(0, len(t.buf)-tailSize):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(bytes.ToValidUTF8(t.buf, []byte("?"))))
}

// readMessages hands on what children say until every writer of the pipe has
// closed it. A line that is no message cannot come from a worker and is left out.
func readMessages(r io.Reader, handle func(worker.Message)) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var m worker.Message
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			handle(m)
		}
	}
}

// startWorkers starts both workers on one pipe. When a process has ended, a line
// of our own follows all of its lines, so that what it said last is not missed.
func (r *Run) startWorkers() error {
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe from the workers: %w", err)
	}
	r.fromWorkers = write
	// Awaited by Close through read; it ends when the children and we have closed
	// the pipe.
	r.readers.Go(func() { readMessages(read, r.heard); _ = read.Close() })
	for _, w := range []struct {
		c     **child
		setup worker.Setup
	}{{&r.a, r.setup(r.scenario.a)}, {&r.b, r.setup(r.scenario.b)}} {
		// Held, so that nothing is heard of a worker before it is known.
		r.mu.Lock()
		c, err := start(r.opts.Command, w.setup, write)
		*w.c = c
		r.mu.Unlock()
		if err != nil {
			return err
		}
		if err := r.guard.order(worker.Order{Do: worker.Watch, Pid: c.pid()}); err != nil {
			return err
		}
		r.leaving.Go(func() {
			<-c.done
			_ = r.guard.order(worker.Order{Do: worker.Forget, Pid: c.pid()})
			b, _ := json.Marshal(worker.Message{Who: c.name, Gone: true})
			_, _ = write.Write(append(b, '\n'))
		})
	}
	return nil
}

// startGuard starts the process that cleans up, and waits until it is ready.
func (r *Run) startGuard(setup worker.Setup) error {
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe from the guard: %w", err)
	}
	r.guarded = make(chan worker.Message, 2)
	r.readers.Go(func() {
		readMessages(read, func(m worker.Message) { r.guarded <- m })
		_ = read.Close()
		close(r.guarded)
	})
	r.guard, err = start(r.opts.Command, setup, write)
	_ = write.Close()
	if err != nil {
		return err
	}
	select {
	case m := <-r.guarded:
		if m.Ack == worker.Watch {
			return nil
		}
	case <-time.After(startLimit):
	}
	return fmt.Errorf("start a guard: it gave no answer; %s", r.guard.log)
}

// startLimit bounds the wait for a child's first answer.
const startLimit = 20 * time.Second
