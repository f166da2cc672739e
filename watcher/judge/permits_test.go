package judge

import (
	"strconv"

	"leasetop/model"
)

// lapseMembers ends the permits whose deadline is over.
func (s *simulator) lapseMembers(key string, at model.Instant) {
	for owner, m := range s.many[key] {
		if at > m.deadline {
			s.leave(key, owner, step{at: m.deadline, how: "expired", by: "its deadline"})
		}
	}
}

// remove ends a permit whose member was removed: at its deadline if that was over.
func (s *simulator) remove(key, owner string, a *act, how string, gone bool) {
	if d := s.many[key][owner].deadline; a.at > d {
		s.leave(key, owner, step{at: d, how: "expired", by: "its deadline, then " + a.String()})
		return
	}
	s.leave(key, owner, step{at: a.at, how: how, gone: gone, by: a.String()})
}

func (s *simulator) leave(key, owner string, st step) {
	m := s.many[key][owner]
	st.kind, st.owner, st.format, st.deadline, st.exact = ended, owner, m.format, m.deadline, m.exact
	s.add(key, st)
	delete(s.many[key], owner)
}

// semaphore plays an act on a sorted set of permits.
func (s *simulator) semaphore(a *act) {
	n, err := strconv.ParseInt(a.reply, 10, 64)
	if err != nil {
		s.t.Fatalf("%v: %s", a.op, a.reply)
	}
	if n > 1 { // by the script's own clock, which decided
		s.lapseMembers(a.key, model.InstantOfMillis(n-a.ttl))
	}
	if s.many[a.key] == nil {
		s.many[a.key] = map[string]*member{}
	}
	switch {
	case n == 0: // no room, not there any more
	case a.kind == "zacq":
		d := model.InstantOfMillis(n)
		s.many[a.key][a.token] = &member{owner: a.token, format: "zset-deadline", deadline: d, exact: true}
		s.add(a.key, step{kind: taken, at: a.at, owner: a.token, format: "zset-deadline", deadline: d, exact: true, by: a.String()})
	case a.kind == "zren":
		m := s.many[a.key][a.token]
		if m == nil {
			s.t.Fatalf("a permit was renewed that the simulator does not know: %s %s", a.key, a)
		}
		m.deadline = model.InstantOfMillis(n)
		s.add(a.key, step{kind: moved, at: a.at, owner: a.token, format: m.format, deadline: m.deadline, exact: true, by: a.String()})
	case a.kind == "zrel":
		if s.many[a.key][a.token] != nil { // a dead member is removed too
			s.remove(a.key, a.token, a, "released", false)
		}
	case a.kind == "delete":
		for owner := range s.many[a.key] {
			s.remove(a.key, owner, a, "released", true)
		}
	}
}
