package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// listener hears every notification that a server sends for the judged keys, on a
// connection of its own.
type listener struct {
	mu  sync.Mutex
	ops map[string][]string // by key
}

func listen(t *testing.T, addr string) *listener {
	l := &listener{ops: map[string][]string{}}
	c := connect(t, addr)
	ps := c.PSubscribe(context.Background(), "__keyspace@0__:lock:*")
	t.Cleanup(func() { _ = ps.Close() })
	if _, err := ps.Receive(context.Background()); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			m, err := ps.ReceiveMessage(context.Background())
			if err != nil {
				return
			}
			_, key, _ := strings.Cut(m.Channel, "__:")
			l.mu.Lock()
			l.ops[key] = append(l.ops[key], m.Payload)
			l.mu.Unlock()
		}
	}()
	return l
}

// compare says where the hints that a ledger was given are not the events that
// the server sent.
func (l *listener) compare(o *observer) (wrong []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	hints, lost := map[string][]string{}, map[string]bool{}
	for i := range o.inputs {
		ob := o.inputs[i].Observation
		if ob == nil {
			continue
		}
		for _, h := range ob.Hints {
			hints[ob.Key.Name] = append(hints[ob.Key.Name], h.Op)
		}
		lost[ob.Key.Name] = lost[ob.Key.Name] || ob.Lost > 0
	}
	for _, k := range judgedKeys {
		if lost[k] || slices.Equal(hints[k], l.ops[k]) {
			continue
		}
		n := 0
		for n < min(len(hints[k]), len(l.ops[k])) && hints[k][n] == l.ops[k][n] {
			n++
		}
		wrong = append(wrong, fmt.Sprintf("%s: %d events were sent and %d hints given; from the %dth on sent %v, given %v",
			k, len(l.ops[k]), len(hints[k]), n, l.ops[k][max(0, n-3):min(n+6, len(l.ops[k]))], hints[k][max(0, n-3):min(n+6, len(hints[k]))]))
	}
	return wrong
}
