package keyspace

import (
	"fmt"
	"slices"
	"strings"
)

// Format is one way in which locks are stored: a row of the table of decoders.
// A next format is a next row.
type Format struct {
	Name  string   // as lines print it and --format takes it
	Types []string // Redis types that it is stored in
	About string   // what it is, in one line

	// shape recognizes the format whatever the key is called; nil: only the
	// key's pattern or --format leads here.
	shape func(*reading) bool
	// decode fills the lock, and reports false when the content is not of
	// this format after all.
	decode func(*reading, *Lock) bool
}

// Takes reports whether the format is stored in a Redis type.
func (f *Format) Takes(redisType string) bool { return slices.Contains(f.Types, redisType) }

// reading is a raw key with what decoders ask of it.
type reading struct {
	*Raw
	beside map[string]*Raw // companions by name; a missing one has type "none"
	lib    *Library        // whose key pattern matched, or nil

	asking bool  // told is known
	told   *Told // of the value of a string
}

// tellText is what the value of a string tells. Several rows ask for it.
func (r *reading) tellText() *Told {
	if !r.asking {
		r.told, r.asking = Tell(r.Text, r.Now), true
	}
	return r.told
}

// deadline is the key's own in µs, 0 for none.
func (r *reading) deadline() int64 {
	switch {
	case r.Deadline <= 0:
		return 0
	case r.Deadline > 1<<63/1000-1:
		return 1<<63 - 1
	}
	return r.Deadline * 1000
}

// companion is what was read of another key of this lock: nil when it was not
// asked for, could not be read, or is missing.
func (r *reading) companion(key string) *Raw {
	if c := r.beside[key]; c != nil && c.Type != "none" && c.Type != "" {
		return c
	}
	return nil
}

// asked reports whether the companion was read at all, be it missing.
func (r *reading) asked(key string) bool { return r.beside[key] != nil }

// put files a holder under the living or the dead by its own deadline. One
// without a deadline of its own shares the key's.
func (r *reading) put(l *Lock, h Holder) {
	if h.Deadline != 0 && h.Deadline < r.Now {
		l.Expired = append(l.Expired, h)
		return
	}
	l.Holders = append(l.Holders, h)
}

// note adds a remark.
func (l *Lock) note(format string, args ...any) {
	if l.Note != "" {
		l.Note += "; "
	}
	l.Note += fmt.Sprintf(format, args...)
}

// Decode reads a key as its own users would. beside holds what was read of the
// keys that Companions named, under their names, missing ones with type "none";
// it may lack any of them. forces are the --format words, nil for none.
//
// The order of detection: what the user forced; companions of other locks; the
// key patterns of known libraries; type and shape. The value of a string alone
// makes no format: the key was selected by a pattern, so a string that nothing
// else explains is an owner token. What no format explains is Unknown.
//
// It never panics, whatever the bytes. Holders stand in the order of their
// names, so that two readings of one state are equal.
func Decode(raw *Raw, beside map[string]*Raw, forces Forces) Lock {
	if raw == nil || raw.Type == "none" || raw.Type == "" {
		return Lock{}
	}
	r := &reading{Raw: raw, beside: beside}
	if f := forces.formatFor(raw.Key); f != nil {
		return r.forced(f)
	}
	if of, part, ok := partOf(raw); ok {
		return r.part(of, part)
	}
	for lib := range claimants(raw.Key) {
		if !lib.owns(r) {
			continue
		}
		r.lib = lib
		if lock, ok := r.as(formatNamed(lib.Format)); ok {
			lock.Library = lib.Name
			return lock
		}
		r.lib = nil
	}
	for i := range formats {
		f := &formats[i]
		if f.shape == nil || !f.Takes(raw.Type) || !f.shape(r) {
			continue
		}
		if lock, ok := r.as(f); ok {
			if lock.Library == "" {
				lock.Library = libraryByShape(raw)
			}
			return lock
		}
	}
	return r.unknown()
}

// as decodes in one format.
func (r *reading) as(f *Format) (Lock, bool) {
	if f == nil || !f.Takes(r.Type) {
		return Lock{}, false
	}
	l := Lock{Format: f.Name}
	if !f.decode(r, &l) {
		return Lock{}, false
	}
	byOwner := func(a, b Holder) int { return strings.Compare(a.Owner, b.Owner) }
	slices.SortStableFunc(l.Holders, byOwner)
	slices.SortStableFunc(l.Expired, byOwner)
	if r.Cut {
		r.noteCut(&l)
	}
	return l, true
}

func (r *reading) noteCut(l *Lock) {
	if r.Type == "string" {
		l.note("a value of %d bytes, read in part", r.Size)
		return
	}
	l.note("%d of %d members read", len(r.Pairs), r.Size)
}

// part is a key that is no lock of its own. The permits of a semaphore are
// decoded all the same: they are all there is to see where the semaphore's own
// key is not watched.
func (r *reading) part(of, part string) Lock {
	l := Lock{Format: Companion}
	if part == PartPermits {
		if permits, ok := r.as(formatNamed("redisson-permits")); ok {
			l = permits
		}
	}
	l.Part, l.Of = part, of
	return l
}

func (r *reading) forced(f *Format) Lock {
	for lib := range claimants(r.Key) {
		if lib.Format == f.Name && lib.owns(r) {
			r.lib = lib
			break
		}
	}
	if lock, ok := r.as(f); ok {
		if r.lib != nil {
			lock.Library = r.lib.Name
		}
		return lock
	}
	l := r.unknown()
	l.note("does not read as %s", f.Name)
	return l
}

// unknown: that the key is there is all that is known. One holder whom nobody
// names stands for that, so that the key shows wherever locks do.
func (r *reading) unknown() Lock {
	l := Lock{Format: Unknown, Holders: []Holder{{Anonymous: true}}}
	if lib, ok := LibraryFor(r.Key); ok {
		l.note("not as %s stores it", lib.Name)
	}
	return l
}

// Formats lists the formats in the order in which their shapes are tried.
// The caller must not change it.
func Formats() []Format { return formats }

var formatsByName = func() map[string]*Format {
	m := make(map[string]*Format, len(formats))
	for i := range formats {
		m[formats[i].Name] = &formats[i]
	}
	return m
}()

// formatNamed is nil for a name that no format has.
func formatNamed(name string) *Format { return formatsByName[name] }
