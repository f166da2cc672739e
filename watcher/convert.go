package watcher

import (
	"leasetop/keyspace"
	"leasetop/model"
)

// observation makes of a unit what the ledger takes, nil when there is nothing
// to tell.
func (r *reader) observation(u *unit) *model.Observation {
	o := &model.Observation{Key: r.key(u.key), Hints: u.hints, Lost: u.lost, Source: u.source()}
	if u.settled {
		o.Reading = r.reading(u)
	} else if len(u.hints) == 0 && u.lost == 0 {
		return nil
	}
	return o
}

func (f *feed) key(name string) model.Key { return model.Key{Node: f.node, DB: f.cfg.DB, Name: name} }

// source is the strongest evidence of a unit. A confirming read that itself made
// the server announce the expiry is what found it.
func (u *unit) source() model.Source {
	switch {
	case u.why&byDeadline != 0 && u.onlyExpired():
		return model.SourceDeadline
	case u.why&byEvent != 0:
		return model.SourceEvent
	case u.why&byTracking != 0:
		return model.SourceTracking
	}
	return model.SourcePoll
}

func (u *unit) onlyExpired() bool {
	for _, h := range u.hints {
		if h.Op != "expired" {
			return false
		}
	}
	return u.lost == 0
}

func (r *reader) reading(u *unit) *model.Reading {
	raw, lock := &u.main.raw, &u.lock
	m := &model.Reading{
		At: model.Instant(raw.Now), Type: typeName(raw.Type), Format: lock.Format, Library: lock.Library,
		Holders: r.holders(lock.Holders, raw), Expired: r.holders(lock.Expired, raw),
		Fence: lock.Fence, Group: lock.Group, Note: lock.Note, Size: raw.Size, Cut: raw.Cut,
		Habit: habits[lock.Library],
	}
	if raw.Deadline > 0 {
		m.Deadline = model.InstantOfMillis(raw.Deadline)
	}
	if lock.Waiters != nil {
		m.Waiters = make([]string, len(lock.Waiters))
		for i, w := range lock.Waiters {
			m.Waiters[i] = r.mask(w)
		}
	}
	return m
}

// habits are those of the libraries that renew without being asked, by name.
var habits = func() map[string]*model.Habit {
	m := make(map[string]*model.Habit)
	for _, l := range keyspace.Libraries() {
		if l.Every > 0 || l.Share > 0 {
			m[l.Name] = &model.Habit{Every: l.Every, TTL: l.TTL, Share: l.Share}
		}
	}
	return m
}()

func (r *reader) holders(list []keyspace.Holder, raw *keyspace.Raw) []model.Holder {
	if len(list) == 0 {
		return nil
	}
	out := make([]model.Holder, len(list))
	for i, h := range list {
		out[i] = model.Holder{Owner: r.mask(h.Owner), Anonymous: h.Anonymous, Count: h.Count, Mode: h.Mode,
			Deadline: model.Instant(h.Deadline), Told: r.told(h.Told)}
		if h.Deadline == 0 && !h.NoExpiry && raw.Deadline > 0 {
			out[i].Deadline = model.InstantOfMillis(raw.Deadline)
		}
	}
	return out
}

func (r *reader) mask(token string) string {
	if r.cfg.Mask == nil {
		return token
	}
	return r.cfg.Mask(token)
}

// told is what a token says; of a masked token nothing but its shape and what the
// lock stores beside it.
func (r *reader) told(t *keyspace.Told) *model.Told {
	switch {
	case t == nil:
		return nil
	case r.cfg.Mask != nil:
		return &model.Told{Shape: t.Shape, Refreshed: model.Instant(t.Refreshed)}
	}
	return &model.Told{Host: t.Host, Process: t.Process, Thread: t.Thread, Metadata: t.Metadata, Shape: t.Shape, Acquired: model.Instant(t.Acquired),
		Refreshed: model.Instant(t.Refreshed)}
}
