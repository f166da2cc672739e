package judge

import (
	"io"
	"net"
	"sync"
	"testing"
)

// gate is a TCP proxy before a server that can cut its connections, refuse new
// ones, and hold bytes back without closing anything.
type gate struct {
	listener net.Listener
	to       string

	mu      sync.Mutex
	free    *sync.Cond // not stalled, or closed
	stalled bool
	shut    bool
	closed  bool
	conns   map[net.Conn]bool
}

func newGate(t *testing.T, to string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{listener: l, to: to, conns: map[net.Conn]bool{}}
	g.free = sync.NewCond(&g.mu)
	go g.accept()
	t.Cleanup(g.close)
	return g
}

func (g *gate) addr() string { return g.listener.Addr().String() }

func (g *gate) accept() {
	for {
		in, err := g.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", g.to)
		if err != nil || !g.keep(in, out) {
			_ = in.Close()
			if out != nil {
				_ = out.Close()
			}
			continue
		}
		go g.copy(in, out)
		go g.copy(out, in)
	}
}

func (g *gate) keep(conns ...net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut || g.closed {
		return false
	}
	for _, c := range conns {
		g.conns[c] = true
	}
	return true
}

func (g *gate) copy(dst, src net.Conn) {
	defer g.drop(dst, src)
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		g.await()
		if n > 0 {
			if _, werr := dst.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err == io.EOF || err != nil {
			return
		}
	}
}

func (g *gate) await() {
	g.mu.Lock()
	for g.stalled && !g.closed {
		g.free.Wait()
	}
	g.mu.Unlock()
}

func (g *gate) drop(conns ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(g.conns, c)
	}
}

// set stalls or frees the flow, and cuts and refuses connections or lets them in.
func (g *gate) set(stalled, shut bool) {
	g.mu.Lock()
	g.stalled, g.shut = stalled, shut
	if shut {
		for c := range g.conns {
			_ = c.Close()
		}
		clear(g.conns)
	}
	g.free.Broadcast()
	g.mu.Unlock()
}

func (g *gate) close() {
	_ = g.listener.Close()
	g.mu.Lock()
	g.closed = true
	for c := range g.conns {
		_ = c.Close()
	}
	g.free.Broadcast()
	g.mu.Unlock()
}
