package main

import (
	"leasetop/model"
	"leasetop/ui"
)

// rules finds what looks wrong in the ledger of the screen. It keeps its place
// in the order of lines, so that each is heeded once.
type rules struct {
	inspector *model.Inspector
	heeded    uint64 // seq of the newest line heeded
}

// standing is what stands at now, the gravest first.
func (r *rules) standing(l *model.Ledger, now model.Instant) []ui.Finding {
	newest := r.heeded
	for lease := range l.Leases() {
		if lease.Last.Seq <= r.heeded {
			continue
		}
		newest = max(newest, lease.Last.Seq)
		r.inspector.Heed(l, r.since(lease.Key, l.History(lease.Key)))
	}
	r.heeded = newest
	r.inspector.Look(l, now)
	found := r.inspector.Standing()
	shown := make([]ui.Finding, len(found))
	for i, f := range found {
		shown[i] = ui.Finding{
			Rule: f.Rule.Name, Severity: f.Rule.Severity.String(), Key: f.Key, Owner: f.Owner, Since: f.Since,
			Detail: f.Detail, Means: f.Rule.Means, NotProof: f.Rule.NotProof, Next: f.Rule.Next,
		}
	}
	return shown
}

// since are the lines of a key that were not heeded yet.
func (r *rules) since(key model.Key, history []model.Entry) []model.Transition {
	from := len(history)
	for from > 0 && history[from-1].Seq > r.heeded {
		from--
	}
	told := make([]model.Transition, 0, len(history)-from)
	for _, e := range history[from:] {
		told = append(told, model.Transition{Key: key, Entry: e})
	}
	return told
}
