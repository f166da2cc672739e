package keyspace

import "strings"

// allClasses are the letters that A stands for on servers up to Redis 8.0 and
// Valkey 9. It holds neither K nor E, and neither m nor n.
const allClasses = "g$lshzxetd"

// NeededClasses are the event classes without which a lease monitor sees half:
// g del, expire, persist, rename; $ strings; l s h z the collections that lock
// libraries use; x expired; e evicted.
const NeededClasses = "g$lshzxe"

// NewClass is wanted and not needed: the event "new" tells an acquisition from
// a rewrite. Servers before Redis 7.0 refuse the letter, and with it the whole
// setting.
const NewClass = 'n'

// NotifyFlags is a set of letters of notify-keyspace-events. Letters that we do
// not know are kept. The zero value is the empty set: notifications off.
type NotifyFlags struct{ bits [4]uint64 }

// ParseNotifyFlags reads what CONFIG GET said or a person wrote. The order of
// the letters has no meaning and a server gives them back in its own.
func ParseNotifyFlags(s string) NotifyFlags {
	var f NotifyFlags
	for i := range len(s) {
		f.bits[s[i]>>6] |= 1 << (s[i] & 63)
	}
	return f
}

// Has reports whether a class is on; A switches on what it stands for.
//
// A false answer for n proves nothing when A is set: a server does not give n
// back beside A, so only a received event "new" shows that it is on.
func (f NotifyFlags) Has(letter byte) bool {
	return f.spelled(letter) || f.spelled('A') && strings.IndexByte(allClasses, letter) >= 0
}

func (f NotifyFlags) spelled(letter byte) bool { return f.bits[letter>>6]&(1<<(letter&63)) != 0 }

// NewUnknown reports whether the setting leaves open that "new" events are on.
func (f NotifyFlags) NewUnknown() bool { return f.spelled('A') && !f.spelled(NewClass) }

// Off reports whether no event is published at all: no channel family, or no
// class.
func (f NotifyFlags) Off() bool {
	if !f.Has('K') && !f.Has('E') {
		return true
	}
	return f.Without("KE") == NotifyFlags{}
}

// Missing lists the letters that we need and that are not on, in a stable
// order. channels names the families in use: "K", "E" or "KE". An empty answer
// means that nothing is missing; n is never among them.
func (f NotifyFlags) Missing(channels string) string {
	var b strings.Builder
	for _, letters := range []string{channels, NeededClasses} {
		for i := range len(letters) {
			if !f.Has(letters[i]) {
				b.WriteByte(letters[i])
			}
		}
	}
	return b.String()
}

// Union is what to ask the server for: every letter that was there, what
// Missing names, and n. channels is as for Missing.
func (f NotifyFlags) Union(channels string) NotifyFlags {
	return f.With(f.Missing(channels) + string(NewClass))
}

// Restore is what to write back in place of the value f that was read. Where f
// holds A it could not show whether n was on, so n is kept: taking it away
// could blind somebody else, leaving it costs one event for each new key.
func (f NotifyFlags) Restore() NotifyFlags {
	if f.spelled('A') {
		return f.With(string(NewClass))
	}
	return f
}

// Stands reports whether the setting that the server now gives back can be f,
// which we wrote: the same classes, except for n where A hides it. It is the
// test before putting an old value back.
func (f NotifyFlags) Stands(now NotifyFlags) bool {
	f, now = f.expand(), now.expand()
	if f.hasAll() && now.hasAll() {
		f, now = f.Without("n"), now.Without("n")
	}
	return f == now
}

func (f NotifyFlags) expand() NotifyFlags {
	if f.spelled('A') {
		return f.Without("A").With(allClasses)
	}
	return f
}

func (f NotifyFlags) hasAll() bool { return f.With(allClasses) == f }

// With adds letters.
func (f NotifyFlags) With(letters string) NotifyFlags {
	g := ParseNotifyFlags(letters)
	for i := range f.bits {
		f.bits[i] |= g.bits[i]
	}
	return f
}

// Without takes letters away; a class that A stands for stays on through A.
func (f NotifyFlags) Without(letters string) NotifyFlags {
	g := ParseNotifyFlags(letters)
	for i := range f.bits {
		f.bits[i] &^= g.bits[i]
	}
	return f
}

// letterOrder is the order in which a server spells the letters.
const letterOrder = "Ag$lshzxetdnKEmoc"

// String spells the set in the server's order, unknown letters last. It can be
// given to CONFIG SET. Letters that A stands for are not repeated beside it.
func (f NotifyFlags) String() string {
	if f.spelled('A') {
		f = f.Without(allClasses)
	}
	var b strings.Builder
	for i := range len(letterOrder) {
		if f.spelled(letterOrder[i]) {
			b.WriteByte(letterOrder[i])
		}
	}
	f = f.Without(letterOrder)
	for c := range 256 {
		if f.spelled(byte(c)) {
			b.WriteByte(byte(c))
		}
	}
	return b.String()
}
