package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// maxFindings bounds the findings that an Inspector keeps; the oldest of the
// least grave go first.
const maxFindings = 1000

// keepFinding is how long a finding about something that is over is kept.
const keepFinding = 10 * time.Minute

type findingID struct {
	rule       *Rule
	key        Key
	generation int32
}

type kept struct {
	Finding
	told  Instant
	state bool // about the lease as it stands: over with the tenure
}

// Inspector looks for findings in a ledger. Like the ledger it is pure and not
// safe for concurrent use.
type Inspector struct {
	kept    map[findingID]kept
	dropped uint64
}

// NewInspector returns an inspector that has found nothing yet.
func NewInspector() *Inspector { return &Inspector{kept: make(map[findingID]kept)} }

// Heed looks at what transitions reveal and returns the findings that are new.
func (i *Inspector) Heed(l *Ledger, told []Transition) []Finding {
	var out []Finding
	for k := range told {
		t := &told[k]
		for _, f := range heed(t, l.History(t.Key)) {
			out = i.add(out, f, t.ToldAt, false)
		}
	}
	return out
}

// Look looks at every lease as it stands at now and returns the findings that
// are new; those whose tenure is over are dropped.
func (i *Inspector) Look(l *Ledger, now Instant) []Finding {
	var out []Finding
	standing := make(map[findingID]bool)
	for lease := range l.Leases() {
		for k := range lease.Tenures {
			for _, f := range look(lease, &lease.Tenures[k], now) {
				standing[findingID{f.Rule, f.Key, f.Generation}] = true
				out = i.add(out, f, now, true)
			}
		}
	}
	for id, k := range i.kept {
		if k.state && !standing[id] || !k.state && now.Sub(k.told) > keepFinding {
			delete(i.kept, id)
		}
	}
	sortFindings(out)
	return out
}

func (i *Inspector) add(out []Finding, f Finding, now Instant, state bool) []Finding {
	id := findingID{f.Rule, f.Key, f.Generation}
	if old, ok := i.kept[id]; ok {
		old.Detail = f.Detail
		i.kept[id] = old
		return out
	}
	if len(i.kept) >= maxFindings {
		i.dropOne()
	}
	i.kept[id] = kept{f, now, state}
	return append(out, f)
}

func (i *Inspector) dropOne() {
	var worst findingID
	var least *kept
	for id, k := range i.kept {
		if least == nil || k.Rule.Severity < least.Rule.Severity ||
			k.Rule.Severity == least.Rule.Severity && k.told < least.told {
			worst, least = id, &k
		}
	}
	delete(i.kept, worst)
	i.dropped++
}

// Standing lists the findings kept now, the gravest first.
func (i *Inspector) Standing() []Finding {
	out := make([]Finding, 0, len(i.kept))
	for _, k := range i.kept {
		out = append(out, k.Finding)
	}
	sortFindings(out)
	return out
}

// Dropped is how many findings were given up to the bound of 1000.
func (i *Inspector) Dropped() uint64 { return i.dropped }

func sortFindings(f []Finding) {
	slices.SortFunc(f, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Rule.Severity, a.Rule.Severity), cmp.Compare(a.Rule.Name, b.Rule.Name),
			cmp.Compare(a.Key.Name, b.Key.Name), cmp.Compare(a.Key.DB, b.Key.DB),
			cmp.Compare(a.Key.Node, b.Key.Node), cmp.Compare(a.Generation, b.Generation))
	})
}

// look applies the rules about a lease as it stands. What no format knows (a
// queue or a log under the same prefix) is no lease that could be judged.
func look(l *Lease, t *Tenure, now Instant) []Finding {
	if l.format == "unknown" {
		return nil
	}
	var out []Finding
	add := func(r *Rule, since Instant, detail string) {
		out = append(out, Finding{r, l.Key, shownOwner(t), t.Generation, since, detail})
	}
	since := t.Acquired
	if since == 0 {
		since = firstSeen(l, t)
	}
	// Without a deadline since it was taken away, or since the beginning.
	if bare := Later(since, t.GrantedAt); t.Deadline == 0 && !t.Untold && bare != 0 && now.Sub(bare) >= Grace {
		add(ruleNoExpiry, bare, fmt.Sprintf("held without a deadline for at least %s", short(now.Sub(bare))))
	}
	if s := absurd(t, now); s != "" {
		add(ruleAbsurd, since, s)
	}
	if s := constantToken(l, t); s != "" {
		add(ruleConstant, since, s)
	}
	if t.Told != nil && t.Told.Shape == "host:pid" {
		add(ruleShared, since, fmt.Sprintf("host %s, process %s", t.Told.Host, t.Told.Process))
	}
	if t.LowWater != NoDuration && t.LowOf > 0 && t.LowWater*10 < t.LowOf {
		add(ruleThin, since, fmt.Sprintf("renewed with %s of %s left", short(t.LowWater), short(t.LowOf)))
	}
	if s := stopped(l, t, now); s != "" {
		add(ruleStopped, t.GrantedAt, s)
	}
	return out
}

func shownOwner(t *Tenure) Owner {
	if t.Unread {
		return Owner{}
	}
	return t.Owner
}

func firstSeen(l *Lease, t *Tenure) Instant {
	for k := range l.history {
		if l.history[k].Generation == t.Generation {
			return l.history[k].At
		}
	}
	return 0
}

// cadence is the usual time between a tenure's renewals, 0 when fewer than two
// were seen.
func cadence(h []Entry, generation int32) time.Duration {
	var spans []time.Duration
	var prev Instant
	for k := len(h) - 1; k >= 0 && len(spans) < 8; k-- {
		e := &h[k]
		if e.Generation != generation {
			continue
		}
		if e.Change != Renewed && !e.Change.Begins() {
			continue
		}
		if prev != 0 && e.Change != Found {
			spans = append(spans, prev.Sub(e.At))
		}
		prev = e.At
	}
	if len(spans) < 2 {
		return 0
	}
	slices.Sort(spans)
	return spans[len(spans)/2]
}

// short spells a span for people.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	case d < LongTTL:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
	return years(d)
}
