package keyspace

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDecodeOfNothing(t *testing.T) {
	for _, raw := range []*Raw{nil, {}, {Key: "lock:a", Type: "none", Deadline: -2, Now: noon}} {
		if got := Decode(raw, nil, nil); !reflect.DeepEqual(got, Lock{}) {
			t.Errorf("%+v: %+v", raw, got)
		}
		if got := Companions(raw); got != nil {
			t.Errorf("%+v: companions %q", raw, got)
		}
	}
}

func TestDecodeTellsWhatWasCut(t *testing.T) {
	text := Decode(&Raw{Key: "lock:a", Type: "string", Text: strings.Repeat("x", MaxValue), Size: 100 << 20, Cut: true, Deadline: -1, Now: noon}, nil, nil)
	if len(text.Holders) != 1 || text.Note != "a value of 104857600 bytes, read in part" {
		t.Errorf("%q", text.Note)
	}
	hash := &Raw{Key: "huey.results.app", Type: "hash", Pairs: []Pair{{"app.lock.a", "1"}}, Size: 1_000_000, Cut: true, Deadline: -1, Now: noon}
	if got := Decode(hash, nil, nil); got.Note != "1 of 1000000 members read" {
		t.Errorf("%q", got.Note)
	}
}

func TestCompanionsAreBounded(t *testing.T) {
	raw := &Raw{Key: "rw", Type: "hash", Pairs: []Pair{{"mode", "read"}}, Deadline: -1, Now: noon}
	for i := range MaxMembers - 1 {
		raw.Pairs = append(raw.Pairs, Pair{"6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:" + string(rune('0'+i%10)) + "0", "9223372036854775807"})
	}
	if n := len(Companions(raw)); n == 0 || n > MaxCompanions {
		t.Errorf("%d companions", n)
	}
	raw.Pairs = raw.Pairs[:2]
	if got := Companions(raw); len(got) != 32 || !strings.HasSuffix(got[0], ":rwlock_timeout:9223372036854775807") {
		t.Errorf("%d companions, the first %q", len(got), got[0])
	}
}

func TestCompanionOfANameAlone(t *testing.T) {
	for _, c := range []struct{ key, lock, kind string }{
		{"redisson_lock_queue:{a}", "a", PartQueue},
		{"redisson_lock_queue:a", "a", PartQueue},
		{"redisson_lock_queue:{a}:{b}", "{a}:{b}", PartQueue},
		{"redisson_lock_timeout:{a}b", "{a}b", PartDeadline},
		{"redisson__execute_task_once_latch:{m}", "", PartLatch},
		{"{a}b:6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:-7:rwlock_timeout:12", "{a}b", PartDeadline},
		{"{a}b:timeout", "{a}b", PartPermits},
		{"SEMAPHORE:a:b:VERSION", "SEMAPHORE:a:b:GRABBED", PartIndex},
		{"lease-demo:7f:x:lock:fence", "lease-demo:7f:x:lock", PartFence},
		{"uniquejobs:0f:RUN:INFO", "uniquejobs:0f:RUN:LOCKED", PartIndex},
		{"uniquejobs:0f:RUN:LOCKED", "", ""},
		{"a:timeout", "", ""},
		{"x:rwlock_timeout:1", "", ""},
		{"{x}:rwlock_timeout:", "", ""},
		{"lock:a", "", ""},
		{"lease-demo:7f:x:lock", "", ""},
		{"", "", ""},
	} {
		lock, kind, ok := CompanionOf(c.key)
		if lock != c.lock || kind != c.kind || ok != (c.kind != "") {
			t.Errorf("%q: %q %q %v", c.key, lock, kind, ok)
		}
	}
}

func TestParseForce(t *testing.T) {
	got, err := ParseForce("import=x:*=counter")
	if err != nil || got != (Force{"import=x:*", "counter"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, w := range []string{"", "counter", "=counter", "a=", "a=nothing", "a=" + Unknown, "a=" + Companion} {
		if _, err := ParseForce(w); !errors.Is(err, ErrForce) {
			t.Errorf("%q: %v", w, err)
		}
	}
	// The first that selects a key decides, also over what its name says.
	raw := &Raw{Key: "redisson_lock_token:{a}", Type: "string", Text: "7", Deadline: -1, Now: noon}
	forces := Forces{{"other*", "mark"}, {"redisson*", Plain}, {"*", "counter"}}
	if l := Decode(raw, nil, forces); l.Format != Plain || len(l.Holders) != 1 {
		t.Errorf("%+v", l)
	}
}

func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats() {
		if f.Name == "" || f.About == "" || len(f.Types) == 0 || f.decode == nil || seen[f.Name] {
			t.Errorf("format %+v", f.Name)
		}
		seen[f.Name] = true
	}
	names := map[string]bool{}
	for _, l := range Libraries() {
		if l.Name == "" || l.Language == "" || names[l.Name] || formatNamed(l.Format) == nil {
			t.Errorf("library %q %q", l.Name, l.Format)
		}
		if l.Every > 0 && l.Share > 0 || l.Every > 0 && l.TTL > 0 && l.Every >= l.TTL || l.Share >= 1 {
			t.Errorf("%s: renews every %v or %v of %v", l.Name, l.Every, l.Share, l.TTL)
		}
		names[l.Name] = true
		if got, ok := LibraryNamed(l.Name); !ok || got.Format != l.Format {
			t.Errorf("%s is not found by its name", l.Name)
		}
	}
	for _, name := range []string{"Redisson", "ShedLock", "Symfony Lock", "Medallion DistributedLock", "BullMQ"} {
		if !names[name] {
			t.Errorf("shapes name %q, the table does not", name)
		}
	}
	if _, ok := LibraryNamed("nobody"); ok {
		t.Error("nobody is a library")
	}
}

func TestRenewEvery(t *testing.T) {
	for _, c := range []struct {
		library   string
		ttl, want time.Duration
	}{
		{"Redisson", 30 * time.Second, 10 * time.Second},
		{"redlease", 6 * time.Second, 2 * time.Second},
		{"FreeRedis", time.Minute, 30 * time.Second},
		{"FreeRedis", 0, 0},
		{"redsync", 8 * time.Second, 0},
	} {
		l, _ := LibraryNamed(c.library)
		if got := l.RenewEvery(c.ttl); got != c.want {
			t.Errorf("%s: %v", c.library, got)
		}
	}
}

// TestDefaultPatternsAreNarrow: no glob selects ordinary data, and each selects
// only names that some library of the table claims.
func TestDefaultPatternsAreNarrow(t *testing.T) {
	p, err := ParsePatterns(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"session:0123456789", "user:42", "cache:view:1", "bull:mail:17", "bull:mail:meta", "asynq:{default}:pending",
		"rq:job:abc", "arq:result:1", "l:x", "blocked:users", "clock", "uniquejobs:digests", "{hangfire}:job:1", "block:7",
	} {
		if g, ok := p.Match(key); ok {
			t.Errorf("%q is watched through %q", key, g)
		}
	}
	for _, g := range DefaultPatterns() {
		if strings.Trim(g, "*?") == "" {
			t.Errorf("%q selects everything", g)
		}
		if !slices.ContainsFunc(libraries, func(l Library) bool {
			return l.watch == nil && slices.Contains(l.Keys, g) || slices.Contains(l.watch, g)
		}) {
			t.Errorf("%q is nobody's", g)
		}
	}
}

// TestClaimantsAgreeWithTheTable: the index answers as the table would.
func TestClaimantsAgreeWithTheTable(t *testing.T) {
	for _, key := range []string{"lock:owner:a", "bull:q:1:lock", "work:jobs:j:lock", "a:leader", "*:leader", "x", "", "lockf1", "lockfx", "lock:C-[1]"} {
		var want, got []string
		for _, l := range libraries {
			for _, g := range l.Keys {
				if key != "" && Match(g, key) {
					want = append(want, l.Name)
				}
			}
		}
		for l := range claimants(key) {
			got = append(got, l.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// FuzzDecode throws any bytes at every type: no panic, no empty format, no
// living holder whose deadline is over, no more companions than allowed, and
// the same answer twice.
func FuzzDecode(f *testing.F) {
	add := func(key, kind, text, names, values string) {
		f.Add(key, kind, text, names, values, int64(-1), uint8(0))
	}
	add("lock:a", "string", "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", "", "")
	add("order", "hash", "", "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:57", "1")
	add("rw", "hash", "", "mode\n6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:57:write", "write\n1")
	add("group", "hash", "", "a\na:b:expire_time\na:b:lock_count", "b\n1796212800000\n1")
	add("{sem}:timeout", "zset", "", permitBytes, "922337203685477")
	add("rq:wip:q", "zset", "", "a\nb\nc", "inf\nnan\n1e300")
	add("semaphore:a", "zset", "", "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11_0", "1796212799000")
	add("lockp1", "hash", "", "3_00007F5A12345678", "012345678901234567890123")
	add("suo", "string", "\x91\x92\xcb\x41\xda\xc3\x9d\x40\x00\x00\x00\xa1x", "", "")
	add("SINGLE_BEAT_x", "string", "41:web-3:4312", "", "")
	add("x.readers", "set", "", "WEB-3_4312_0f8fad5bd9cb469fa16570867728950e", "")
	for i := range formats {
		f.Add("lock:a", formats[i].Types[0], "\x91\x92\xcb", "a\nb", "1796212799000\n7", int64(1796212805000), uint8(i+1))
	}
	f.Fuzz(func(t *testing.T, key, kind, text, names, values string, deadline int64, force uint8) {
		raw := &Raw{Key: key, Type: kind, Text: text, Size: int64(len(text)), Deadline: deadline, Now: noon}
		spelled := strings.Split(values, "\n")
		for i, n := range strings.Split(names, "\n") {
			if i == MaxMembers {
				raw.Cut = true
				break
			}
			raw.Pairs = append(raw.Pairs, Pair{n, spelled[i%len(spelled)]})
		}
		var forces Forces
		if i := int(force) - 1; i >= 0 {
			forces = Forces{{"*", formats[i%len(formats)].Name}}
		}
		companions := Companions(raw)
		if len(companions) > MaxCompanions {
			t.Fatalf("%d companions", len(companions))
		}
		beside := map[string]*Raw{}
		for i, c := range companions {
			beside[c] = &Raw{Key: c, Type: []string{"string", "none", "zset", "list", "hash"}[i%5], Text: text, Pairs: raw.Pairs, Deadline: deadline, Now: noon}
		}
		l := Decode(raw, beside, forces)
		checkLock(t, raw, &l)
		if again := Decode(raw, beside, forces); !reflect.DeepEqual(l, again) {
			t.Fatalf("%+v and %+v", l, again)
		}
		CompanionOf(key)
	})
}

const permitBytes = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\x80\x0b\x0c\r\x0e\x0f"

func checkLock(t *testing.T, raw *Raw, l *Lock) {
	t.Helper()
	if (l.Format == "") != (raw.Type == "" || raw.Type == "none") {
		t.Fatalf("%+v: format %q", raw, l.Format)
	}
	if l.Library != "" {
		if _, ok := LibraryNamed(l.Library); !ok {
			t.Fatalf("library %q", l.Library)
		}
	}
	for _, h := range l.Holders {
		if h.Deadline < 0 || h.Deadline != 0 && h.Deadline < raw.Now || h.NoExpiry && h.Deadline != 0 || h.Count < 0 {
			t.Fatalf("%+v: holder %+v", raw, h)
		}
	}
	for _, h := range l.Expired {
		if h.Deadline <= 0 || h.Deadline > raw.Now {
			t.Fatalf("%+v: dead member %+v", raw, h)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, raw := range []*Raw{
		{Key: "lock:invoice:42", Type: "string", Text: "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", Deadline: 1796212805000, Now: noon},
		{Key: "job:invoice:42", Type: "string", Text: "c8635bd6ee0b11f192d902fc00000001", Deadline: 1796212805000, Now: noon},
		{Key: "order:42", Type: "hash", Pairs: []Pair{{"6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:57", "1"}}, Deadline: 1796212805000, Now: noon},
	} {
		b.Run(raw.Key, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Companions(raw)
				Decode(raw, nil, nil)
			}
		})
	}
}
