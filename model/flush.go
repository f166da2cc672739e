package model

// maxFlushes bounds the flushes remembered of one node; of more, the oldest two
// count as one.
const maxFlushes = 16

// flush is a flush that happened at some time between two moments.
type flush struct{ from, to Instant }

func (n *node) addFlush(f flush) {
	if len(n.flushes) == maxFlushes {
		n.flushes[1].from = n.flushes[0].from
		n.flushes = append(n.flushes[:0], n.flushes[1:]...)
	}
	n.flushes = append(n.flushes, f)
}

// flushedBetween tells of the flushes that may have taken a key that was there at
// t, was not as before at by, and went without an event; false when none may
// have. They were in between, or may have been while any other end would have
// been announced.
func (n *node) flushedBetween(t, by Instant) (all flush, ok bool) {
	for _, f := range n.flushes {
		switch {
		case f.to <= t || f.from > by || n.notify != NotifyOn && (f.from < t || f.to > by):
		case ok:
			all.to = f.to
		default:
			all, ok = f, true
		}
	}
	return all, ok
}

func (n *node) flushed(t, by Instant) bool {
	_, ok := n.flushedBetween(t, by)
	return ok
}
