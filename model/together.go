package model

import (
	"cmp"
	"slices"
	"time"
)

// togetherSpread is how far apart the deadlines of the keys of one lock may lie:
// a library that takes several keys sets them in one script.
const togetherSpread = 20 * time.Millisecond

// leastToken is from how many bytes on a token is taken for one of its own kind.
const leastToken = 16

// Together lists the other keys that belong to one lock with a key, by name and
// node; nil when it stands alone. Keys belong together
//
//   - when their formats say so (Reading.Group: the three keys of rueidislock),
//   - when they are strings with one and the same token, of 16 bytes or more, and
//     deadlines no more than 20 ms apart, or none (node-redlock, bsm/redislock),
//   - when they are the same key with the same token on several servers (Redlock).
//
// Deadlines count because some libraries use one token for all locks of a
// process. It looks at every lease.
func (l *Ledger) Together(k Key) []Key {
	lease := l.leases[k]
	if lease == nil || len(lease.Tenures) == 0 || lease.Reading == nil {
		return nil
	}
	var keys []Key
	for other := range l.Leases() {
		if other != lease && together(lease, other) {
			keys = append(keys, other.Key)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Node, b.Node), cmp.Compare(a.DB, b.DB))
	})
	return keys
}

func together(a, b *Lease) bool {
	if len(b.Tenures) == 0 || b.Reading == nil || a.Key.DB != b.Key.DB {
		return false
	}
	if a.Reading.Group != "" || b.Reading.Group != "" {
		return a.Reading.Group == b.Reading.Group
	}
	s, t := a.soleToken(), b.soleToken()
	if s == nil || t == nil || s.Owner != t.Owner {
		return false
	}
	if a.Key.Name == b.Key.Name {
		return true // on another node
	}
	if s.Deadline == 0 || t.Deadline == 0 {
		return s.Deadline == t.Deadline
	}
	return s.Deadline.Sub(t.Deadline).Abs() <= togetherSpread
}

// soleToken is the only holder of a string whose value is its token, nil when
// there is none.
func (l *Lease) soleToken() *Tenure {
	if len(l.Tenures) != 1 || l.format != "string" || l.Reading.Size < leastToken || l.Reading.Cut {
		return nil
	}
	t := &l.Tenures[0]
	if !t.Owner.Known || t.Unread || t.Untold {
		return nil
	}
	return t
}
