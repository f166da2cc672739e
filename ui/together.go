package ui

import (
	"strings"
	"time"

	"leasetop/model"
)

// others are the keys of the same lock as the key on the page.
type others struct {
	of   model.Key
	at   model.Instant // when they were looked for
	keys []model.Key
}

// othersEvery bounds how often the keys of one lock are looked for: it takes a
// walk over all leases.
const othersEvery = time.Second

// find brings them up to date.
func (o *others) find(l *model.Ledger, k model.Key, now model.Instant) {
	if o.of == k && now.Sub(o.at).Abs() < othersEvery {
		return
	}
	*o = others{of: k, at: now, keys: l.Together(k)}
}

// togetherFact says which other keys belong to the lock on the page; false when
// there is none.
func (m *Model) togetherFact() (fact, bool) {
	keys := m.timeline.others.keys
	if len(keys) == 0 || m.past != nil {
		return fact{}, false
	}
	names := make([]string, 0, 4)
	for _, k := range keys[:min(3, len(keys))] {
		name := m.names.key(k, max(12, m.w/4))
		if k.Node != m.timeline.key.Node {
			name += " on " + m.names.text.Cut(k.Node, 24)
		}
		names = append(names, name)
	}
	text := "with " + strings.Join(names, ", ")
	if more := len(keys) - len(names); more > 0 {
		text += " and " + count(more) + " more"
	}
	return fact{term: "one lock", text: text, tone: plain}, true
}
