package keyspace

import "testing"

func TestNotifyFlags(t *testing.T) {
	for _, c := range []struct {
		read, channels        string
		missing, union, puts  string
		off, newUnknown, hasX bool
	}{
		{"", "K", "Kg$lshzxe", "g$lshzxenK", "", true, false, false},
		{"", "KE", "KEg$lshzxe", "g$lshzxenKE", "", true, false, false},
		{"AKE", "K", "", "AnKE", "AnKE", false, true, true},
		{"AK", "E", "E", "AnKE", "AnK", false, true, true},
		{"AnKE", "KE", "", "AnKE", "AnKE", false, false, true},
		{"Ex", "K", "Kg$lshze", "g$lshzxenKE", "xE", false, false, true},
		{"g$xK", "K", "lshze", "g$lshzxenK", "g$xK", false, false, true},
		{"g$lshzxenK", "K", "", "g$lshzxenK", "g$lshzxenK", false, false, true},
		{"KEA", "KE", "", "AnKE", "AnKE", false, true, true},
		{"Kgm", "K", "$lshzxe", "g$lshzxenKm", "gKm", false, false, false},
		{"KEAocST", "K", "", "AnKEocST", "AnKEocST", false, true, true},
		{"KE", "K", "g$lshzxe", "g$lshzxenKE", "KE", true, false, false},
		{"g$x", "K", "Klshze", "g$lshzxenK", "g$x", true, false, true},
		{"K$td\xff", "K", "glshzxe", "g$lshzxetdnK\xff", "$tdK\xff", false, false, false},
	} {
		f := ParseNotifyFlags(c.read)
		if got := f.Missing(c.channels); got != c.missing {
			t.Errorf("%q: missing %q, want %q", c.read, got, c.missing)
		}
		if got := f.Union(c.channels).String(); got != c.union {
			t.Errorf("%q: union %q, want %q", c.read, got, c.union)
		}
		if got := f.Restore().String(); got != c.puts {
			t.Errorf("%q: restore %q, want %q", c.read, got, c.puts)
		}
		if f.Off() != c.off || f.NewUnknown() != c.newUnknown || f.Has('x') != c.hasX {
			t.Errorf("%q: off %v, n open %v, x %v", c.read, f.Off(), f.NewUnknown(), f.Has('x'))
		}
	}
}

func TestNotifyFlagsStands(t *testing.T) {
	for _, c := range []struct {
		wrote, reads string
		want         bool
	}{
		{"g$lshzxenK", "g$lshzxenK", true},
		{"AnKE", "AKE", true},
		{"g$lshzxetdnKE", "AKE", true}, // the server folds the letters and hides n
		{"g$lshzxenK", "g$lshzxeK", false},
		{"g$lshzxenK", "", false},
		{"AnKE", "AK", false},
		{"g$xnK", "g$xnKE", false},
	} {
		if got := ParseNotifyFlags(c.wrote).Stands(ParseNotifyFlags(c.reads)); got != c.want {
			t.Errorf("wrote %q, reads %q: %v", c.wrote, c.reads, got)
		}
	}
}

func TestOpClassIsAKnownLetter(t *testing.T) {
	for op, c := range opClass {
		if !ParseNotifyFlags(letterOrder).Has(c) {
			t.Errorf("%s: letter %c", op, c)
		}
	}
	if _, ok := OpClass("made-up"); ok {
		t.Error("an unknown op has a class")
	}
}

// FuzzNotifyFlags: whatever was set, the union misses nothing, keeps every old
// letter, and spelling loses no class.
func FuzzNotifyFlags(f *testing.F) {
	for _, s := range []string{"", "AKE", "g$xK", "KEAn", "Kzoc\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		flags := ParseNotifyFlags(s)
		for _, channels := range []string{"K", "E", "KE"} {
			u := flags.Union(channels)
			if m := u.Missing(channels); m != "" {
				t.Fatalf("%q: union %q misses %q", s, u, m)
			}
			if u.With(s) != u {
				t.Fatalf("%q: union %q lost a letter", s, u)
			}
		}
		again := ParseNotifyFlags(flags.String())
		for c := range 256 {
			if again.Has(byte(c)) != flags.Has(byte(c)) {
				t.Fatalf("%q: letter %c lost in %q", s, c, flags)
			}
		}
		if !flags.Stands(again) {
			t.Fatalf("%q does not stand for itself", s)
		}
	})
}
