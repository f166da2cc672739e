// Package server starts a private redis-server (or valkey-server) on loopback
// and takes it down again: the embedded server of the demo, and the real server
// that every test talks to.
//
// A Server owns its process, its port and its folder. It never touches a server
// that it did not start, and the process dies with its parent where the system
// can arrange that (Linux).
package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrNone means that neither redis-server nor valkey-server is on the PATH.
var ErrNone = errors.New("server: neither redis-server nor valkey-server is on the PATH")

// startLimit bounds the wait for a server's first answer.
const startLimit = 10 * time.Second

// Options say how to start a server. The zero value is a server in memory
// only, on a free port of 127.0.0.1.
type Options struct {
	Bin    string   // path of the program; "" finds one
	Port   int      // 0 takes a free one
	Socket bool     // listen on a unix socket in the folder too
	Args   []string // further arguments, as redis-server takes them: "--hz", "100"
}

// Server is a running child process.
type Server struct {
	opts Options
	bin  string
	dir  string
	port int

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
}

// Find is the path of the server program to use. It may return ErrNone.
func Find() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", ErrNone
}

// Start starts a server and waits until it answers. It may return ErrNone, or
// an error that holds the end of the server's own log.
func Start(ctx context.Context, opts Options) (*Server, error) {
	bin := opts.Bin
	if bin == "" {
		var err error
		if bin, err = Find(); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp("", "leasetop-server-")
	if err != nil {
		return nil, fmt.Errorf("server: make a folder: %w", err)
	}
	s := &Server{opts: opts, bin: bin, dir: dir, port: opts.Port}
	for try := 0; ; try++ {
		if opts.Port == 0 {
			if s.port, err = freePort(); err != nil {
				break
			}
		}
		// Another process may take the port between its choice and its use.
		if err = s.launch(ctx); err == nil || opts.Port != 0 || try == 4 || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("server: find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) launch(ctx context.Context) error {
	args := []string{
		"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--dir", s.dir,
		"--save", "", "--appendonly", "no", "--daemonize", "no",
		"--logfile", filepath.Join(s.dir, "log"),
	}
	if s.opts.Socket {
		args = append(args, "--unixsocket", s.Socket())
	}
	cmd := exec.Command(s.bin, append(args, s.opts.Args...)...)
	cmd.SysProcAttr = childAttr()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("server: start %s: %w", s.bin, err)
	}
	done := make(chan struct{})
	// Awaited by stop through done; it ends when the process ends.
	go func() { _ = cmd.Wait(); close(done) }()
	s.mu.Lock()
	s.cmd, s.done = cmd, done
	s.mu.Unlock()
	if err := s.await(ctx, done); err != nil {
		s.signal(syscall.SIGKILL)
		<-done
		return fmt.Errorf("server: %s gave no answer: %w\n%s", s.bin, err, s.Log())
	}
	return nil
}

func (s *Server) await(ctx context.Context, done <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		if ping(ctx, s.Addr()) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-done:
			return errors.New("it ended at once")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ping reports whether the server answers commands, if only to ask for a
// password. It speaks the inline protocol so that this package needs no client.
func ping(ctx context.Context, addr string) bool {
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	return err == nil && (strings.HasPrefix(line, "+PONG") || strings.HasPrefix(line, "-NOAUTH"))
}

// Addr is host:port.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Port is the TCP port on 127.0.0.1.
func (s *Server) Port() int { return s.port }

// Socket is the path of the unix socket, whether or not it was asked for.
func (s *Server) Socket() string { return filepath.Join(s.dir, "redis.sock") }

// Dir is the server's working folder; Stop removes it.
func (s *Server) Dir() string { return s.dir }

// Bin is the path of the program that runs.
func (s *Server) Bin() string { return s.bin }

// Pid is the process id of the running child.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cmd.Process.Pid
}

// Log is the end of the server's own log, at most 4 KiB.
func (s *Server) Log() string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(b[max(0, len(b)-4096):])
}

func (s *Server) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Signal(sig)
}

// Freeze stops the process without closing a connection (SIGSTOP).
func (s *Server) Freeze() { s.signal(sigStop) }

// Thaw lets a frozen process go on (SIGCONT).
func (s *Server) Thaw() { s.signal(sigCont) }

// Kill ends the process at once and keeps its folder, for Restart.
func (s *Server) Kill() {
	s.signal(syscall.SIGKILL)
	<-s.done
}

// Restart starts a killed server again on the same port, empty.
func (s *Server) Restart(ctx context.Context) error { return s.launch(ctx) }

// Stop ends the process, waits for its end and removes its folder. It may be
// called more than once.
func (s *Server) Stop() {
	s.signal(sigCont)
	s.signal(sigTerm)
	select {
	case <-s.done:
	case <-time.After(3 * time.Second):
		s.Kill()
	}
	_ = os.RemoveAll(s.dir)
}
