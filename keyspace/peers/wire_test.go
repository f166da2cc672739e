package peers

import (
	"context"
	"errors"
	"net"
	"sync"
)

var errCut = errors.New("the wire is cut")

// wire is the network of one client. Once cut, its connections are gone and no
// further one can be made: to the server the client's process is dead.
type wire struct {
	mu    sync.Mutex
	isCut bool
	conns []net.Conn
}

// dial connects to a server over the wire.
func (w *wire) dial(ctx context.Context, addr string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isCut {
		return nil, errCut
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	w.conns = append(w.conns, c)
	return c, nil
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for _, c := range w.conns {
		_ = c.Close()
	}
}
