package judge

import (
	"fmt"
	"slices"

	"leasetop/model"
)

// compareMembers judges a window of a key with several holders. Their lines come
// in no order among each other, and what comes and goes between two readings is
// not seen: the events do not name the member.
func (c *keyCase) compareMembers(i int, lines []told) string {
	after := c.readings[i].seen
	before := map[string]model.Holder{}
	if i > 0 {
		for _, h := range c.readings[i-1].seen.Holders {
			before[h.Owner] = h
		}
	}
	shown := map[string]bool{}
	for _, h := range after.Holders {
		shown[h.Owner] = true
		got := changesOf(lines, h.Owner)
		old, was := before[h.Owner]
		delete(before, h.Owner)
		var wants []string
		switch {
		case !was:
			wants = []string{"acquired"}
		case h.Deadline > old.Deadline:
			wants = []string{"renewed"}
		case h.Deadline < old.Deadline:
			wants = []string{"shortened"}
		}
		if !was && slices.Equal(got, []string{"replaced"}) && len(after.Holders) == 1 {
			delete(before, previousOf(lines, h.Owner))
			continue
		}
		if !slices.Equal(got, wants) {
			return fmt.Sprintf("of %s should be told %v, and not %v", h.Owner, wants, got)
		}
	}
	for owner, h := range before {
		got := changesOf(lines, owner)
		wants := []string{"released"}
		if h.Deadline != 0 && after.At > h.Deadline || slices.ContainsFunc(after.Expired, func(h model.Holder) bool { return h.Owner == owner }) {
			wants = []string{"expired"}
			if x := c.tenureOf(owner); c.hints && x != nil && x.how != "expired" && slices.Equal(got, []string{"released"}) {
				continue // the event of its removal was seen in time
			}
		}
		if h.Deadline != 0 && slices.Equal(got, []string{"expired"}) && inferredBehind(lines, owner, h.Deadline) {
			continue // its end was heard of so late that its deadline was over
		}
		if !slices.Equal(got, wants) && !(wants[0] == "released" && slices.Equal(got, []string{"flushed"})) {
			return fmt.Sprintf("of %s should be told %v, and not %v", owner, wants, got)
		}
	}
	for _, t := range lines {
		if t.Owner.Known && !shown[t.Owner.Token] && changesOf(lines, t.Owner.Token)[0] == "acquired" {
			return "somebody acquired whom no reading shows: " + spellLine(t.Transition)
		}
	}
	return ""
}

func (c *keyCase) tenureOf(owner string) *tenure {
	for _, x := range c.all {
		if x.owner == owner {
			return x
		}
	}
	return nil
}

// inferredBehind reports whether an end was inferred, and may lie behind a deadline.
func inferredBehind(lines []told, owner string, deadline model.Instant) bool {
	return slices.ContainsFunc(lines, func(t told) bool {
		return t.Owner.Token == owner && t.Certainty == model.Inferred && t.Latest >= deadline
	})
}

// previousOf is whom a line that replaced says that it replaced.
func previousOf(lines []told, owner string) string {
	for _, t := range lines {
		if t.Owner.Token == owner && t.Previous != nil {
			return t.Previous.Owner.Token
		}
	}
	return ""
}

func changesOf(lines []told, owner string) (out []string) {
	for _, t := range lines {
		if t.Owner.Known && t.Owner.Token == owner {
			out = append(out, t.Change.String())
		}
	}
	return out
}
