package judge

import (
	"fmt"
	"slices"

	"leasetop/model"
)

// tenure is one true time of a holder on a key, from its steps.
type tenure struct {
	owner, format string
	from, to      model.Instant // to: Forever while it lasts
	how           string
	next          string // renamed to
	inPlace       bool   // begun by overwriting another one
	states        []state
}

// state is what a tenure's key showed from an instant on.
type state struct {
	at       model.Instant
	deadline model.Instant
	exact    bool
	count    int64
}

// tenuresOf reads the tenures out of the steps of a key.
func tenuresOf(steps []step) []*tenure {
	var out []*tenure
	open := map[string]*tenure{} // by owner; a single holder has one entry
	single := len(steps) > 0 && steps[0].format != "zset-deadline"
	begin := func(s *step, inPlace bool) {
		t := &tenure{owner: s.owner, format: s.format, from: s.at, to: model.Forever, inPlace: inPlace}
		out = append(out, t)
		open[s.owner] = t
	}
	for i := range steps {
		s := &steps[i]
		switch s.kind {
		case taken:
			begin(s, false)
		case written:
			if open[s.owner] == nil || open[s.owner].format != s.format {
				for owner, t := range open {
					if single {
						t.to, t.how = s.at, "overwritten"
						delete(open, owner)
					}
				}
				begin(s, true)
			}
		case ended:
			if t := open[s.owner]; t != nil {
				t.to, t.how, t.next = s.at, s.how, s.to
				delete(open, s.owner)
			}
			continue
		}
		if t := open[s.owner]; t != nil {
			t.states = append(t.states, state{s.at, s.deadline, s.exact, s.count})
		}
	}
	return out
}

// blur of the true instants: MONITOR tells a command when it is done, and an
// expiry is over a millisecond after its deadline.
const trueBlur = 2 * millisecond

func within(at model.Instant, t *model.Transition) bool {
	return at >= t.Earliest-trueBlur && at <= t.Latest+trueBlur
}

// lawful says why a line cannot be true; "" when it is.
func (c *keyCase) lawful(t *model.Transition) string {
	if t.At < t.Earliest || t.At > t.Latest {
		return "its time lies outside of its bounds"
	}
	// A lock may have moved on before its new name was read.
	if t.To != "" && !slices.Contains(c.names[t.Owner.Token], t.To) {
		return "it was never renamed to " + t.To
	}
	for _, x := range c.all {
		if t.Owner.Known && t.Owner.Token != x.owner {
			continue
		}
		if c.agrees(x, t) {
			return ""
		}
	}
	return fmt.Sprintf("nothing like %s of %s happened between its bounds", t.Change, ownerWord(t.Owner))
}

// agrees reports whether a tenure makes a line about its holder true.
func (c *keyCase) agrees(x *tenure, t *model.Transition) bool {
	switch t.Change {
	case model.Found:
		return x.from <= t.At+trueBlur && x.to >= t.At-trueBlur
	case model.Acquired:
		return within(x.from, t)
	case model.Overwritten, model.Replaced:
		if t.Change == model.Overwritten && c.flushUntold && flushedBefore(t, c.all) {
			return true
		}
		// The old one ended and the new one is there at the latest instant.
		return x.from <= t.Latest+trueBlur && x.from >= t.Earliest-trueBlur && endedWithin(t, c.all) && (t.Change == model.Replaced || x.inPlace)
	case model.Renewed, model.Shortened, model.ExpiryAdded, model.ExpiryRemoved, model.Recount:
		for _, s := range x.states {
			if within(s.at, t) && (s.deadline == t.Deadline || !s.exact || t.Untold) {
				return true
			}
		}
		return false
	case model.Overdue:
		for _, s := range x.states {
			if s.deadline == t.At || !s.exact {
				return true
			}
		}
		return false
	case model.Renamed:
		return x.how == "renamed" && within(x.to, t)
	case model.Expired:
		// Two readings alone: it may have been gone before its deadline.
		// And a flush that was not yet noticed leaves the deadline standing.
		return x.how == "expired" && within(x.to, t) || (t.Certainty == model.Inferred || x.how == "flushed" && t.Source == model.SourceDeadline) && x.to <= t.ToldAt
	case model.Released:
		if t.Certainty == model.Observed {
			if c.flushUntold && x.how == "flushed" && x.to >= t.Earliest && x.to <= t.ToldAt {
				return true // somebody else's leaving explained it
			}
			return within(x.to, t) && x.how != "expired"
		}
	}
	return within(x.to, t)
}

// flushedBefore reports whether somebody went within the bounds of a line with a
// flush that nobody can have noticed by then.
func flushedBefore(t *model.Transition, all []*tenure) bool {
	for _, x := range all {
		if x.how == "flushed" && within(x.to, t) && t.ToldAt.Sub(x.to) < flushKnown {
			return true
		}
	}
	return false
}

// endedWithin reports whether the previous holder of a line ended in its bounds.
func endedWithin(t *model.Transition, all []*tenure) bool {
	for _, x := range all {
		if t.Previous != nil && (!t.Previous.Owner.Known || t.Previous.Owner.Token == x.owner) && within(x.to, t) {
			return true
		}
	}
	return false
}
