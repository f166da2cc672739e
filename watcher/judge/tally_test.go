package judge

import (
	"fmt"
	"slices"
	"time"
)

// tally counts what a run saw and missed.
type tally struct {
	steps, tenures, lines, windows, blurred int
	unread                                  int // tenures that no reading met
	nameless                                int // of those told of, without an owner
	delays                                  []time.Duration
}

func (n *tally) add(c *keyCase) {
	n.steps += len(c.steps)
	n.tenures += len(c.all)
	n.lines += len(c.told)
	n.windows += len(c.windows)
	for i := range c.windows {
		if c.windows[i].blur {
			n.blurred++
		}
	}
	for _, x := range c.all {
		if !slices.ContainsFunc(c.readings, func(r reading) bool { return x.from < r.seen.At && r.seen.At < x.to }) {
			n.unread++
		}
	}
	for _, t := range c.told {
		if t.Change.Begins() && !t.Owner.Known {
			n.nameless++
		}
		n.delays = append(n.delays, t.ToldAt.Sub(t.At))
	}
}

func (n *tally) String() string {
	slices.Sort(n.delays)
	at := func(p int) time.Duration {
		if len(n.delays) == 0 {
			return 0
		}
		return n.delays[min(len(n.delays)-1, len(n.delays)*p/100)]
	}
	return fmt.Sprintf("%d steps in %d tenures, %d lines told; %d windows (%d blurred); %d tenures unread, %d lines without an owner; told after %v (p50) %v (p99)",
		n.steps, n.tenures, n.lines, n.windows, n.blurred, n.unread, n.nameless, at(50), at(99))
}
