package demo

import (
	"context"
	"fmt"
	"net"
	"sync"
)

// proxy passes bytes between clients and a server on 127.0.0.1, and can lose
// what the server says: the request was carried out, and nobody is told.
type proxy struct {
	target Target
	ln     net.Listener
	ending chan struct{}
	all    sync.WaitGroup

	mu    sync.Mutex
	conns map[*passage]bool
	lost  chan struct{} // closed by the first loss
}

// passage is one connection through the proxy.
type passage struct {
	client, server net.Conn
	deaf           bool // guarded by the proxy's mutex
}

// maxPassages bounds the connections at a time; one more is closed at once.
const maxPassages = 64

func newProxy(target Target) (*proxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for a proxy: %w", err)
	}
	p := &proxy{target: target, ln: ln, ending: make(chan struct{}), conns: map[*passage]bool{}, lost: make(chan struct{})}
	// Awaited by Close.
	p.all.Go(p.accept)
	return p, nil
}

// Addr is host:port.
func (p *proxy) Addr() string { return p.ln.Addr().String() }

// LoseAnswers swallows what the server says from now on, on the connections that
// are open now. Later ones are passed as before.
func (p *proxy) LoseAnswers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.deaf = true
	}
}

// Lost is closed when something has been swallowed.
func (p *proxy) Lost() <-chan struct{} { return p.lost }

// Close ends all connections and waits for their end.
func (p *proxy) Close() {
	close(p.ending)
	_ = p.ln.Close()
	p.mu.Lock()
	for c := range p.conns {
		c.close()
	}
	p.mu.Unlock()
	p.all.Wait()
}

func (p *proxy) accept() {
	for {
		client, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.serve(client) })
	}
}

func (p *proxy) serve(client net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, err := p.target.Dial(ctx)
	if err != nil {
		_ = client.Close()
		return
	}
	c := &passage{client: client, server: server}
	defer c.close()
	if !p.add(c) {
		return
	}
	defer p.remove(c)
	p.all.Go(func() {
		defer c.close()
		p.pass(c, c.client, c.server, false)
	})
	p.pass(c, c.server, c.client, true)
}

func (p *proxy) add(c *passage) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ending:
		return false
	default:
	}
	if len(p.conns) >= maxPassages {
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) remove(c *passage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// pass moves bytes one way until an end closes.
func (p *proxy) pass(c *passage, from, to net.Conn, answers bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && !(answers && p.swallow(c)) {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// swallow reports whether an answer on this connection is to be lost.
func (p *proxy) swallow(c *passage) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.deaf {
		return false
	}
	select {
	case <-p.lost:
	default:
		close(p.lost)
	}
	return true
}

func (c *passage) close() {
	_ = c.client.Close()
	_ = c.server.Close()
}
