package model

// maxGaps bounds the gaps remembered of one node; the oldest are given up.
const maxGaps = 256

// node is what the ledger knows of one server and of our sight of it.
type node struct {
	seq       uint64  // of the newest observation
	synced    bool    // the first full sweep is done
	syncedAt  Instant // when that began: what it did not show may have come since
	blind     Instant // since when we cannot see; 0 while we can
	gapTo     Instant // end of the last gap
	changedAt Instant // another server answered from then on
	flushes   []flush // oldest first
	notify    Notify
	replica   bool
	tellsNew  bool // `new` was seen: its class is on
	health    Health
	gaps      []Gap
}

func (l *Ledger) node(name string) *node {
	n := l.nodes[name]
	if n == nil {
		n = &node{}
		l.nodes[name] = n
	}
	return n
}

func (n *node) apply(h *Health) {
	n.health = *h
	if h.Notify != "" {
		n.notify = h.Notify
	}
	if h.Role != "" {
		n.replica = h.Role == "slave"
	}
	switch h.State {
	case StateDisconnected:
		if n.blind == 0 {
			n.blind = h.At
			if h.From != 0 {
				n.blind = h.From
			}
		}
	case StateGap:
		n.blind = 0
		n.gapTo = Later(n.gapTo, h.To)
		n.gaps = append(n.gaps, Gap{Node: h.Node, From: h.From, To: h.To})
		if len(n.gaps) > maxGaps {
			n.gaps = append(n.gaps[:0], n.gaps[len(n.gaps)-maxGaps:]...)
		}
	case StateSynced:
		n.synced, n.syncedAt = true, h.At
		if h.From != 0 {
			n.syncedAt = h.From
		}
	case StateTopology:
		if h.Changed {
			n.changedAt = h.At
		}
		if h.Flushed {
			n.addFlush(flush{h.From, h.At})
		}
	}
}

// spans reports whether there was a time after t in which we could not see the
// node, or from which on another server answered for it.
func (n *node) spans(t Instant) bool {
	return n.blind != 0 || t < n.gapTo || t < n.changedAt
}
