package keyspace

import (
	"testing"
	"time"
)

// noon is the clock of the tests: 2026-12-02 12:00:00 UTC, as in the samples.
const noon int64 = 1796212800 * second

func TestTell(t *testing.T) {
	at := func(s string) int64 {
		when, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return when.UnixMicro()
	}
	for _, c := range []struct {
		token string
		want  Told
	}{
		{"6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", Told{Shape: "uuid-v4"}},
		{"6f1c0a52-2f0e-8f6f-9f3b-0d6b3f8f3a11", Told{Shape: "uuid"}},
		{"c8635bd6ee0b11f192d902fc00000001", Told{Shape: "uuid-v1", Host: "02:fc:00:00:00:01", Acquired: at("2026-12-02T04:49:39.920175Z")}},
		{"c8635bd6-ee0b-11f1-92d9-02fc00000001", Told{Shape: "uuid-v1", Host: "02:fc:00:00:00:01", Acquired: at("2026-12-02T04:49:39.920175Z")}},
		{"c8635bd6ee0b11f192d903fc00000001", Told{Shape: "uuid-v1", Process: "03fc00000001", Acquired: at("2026-12-02T04:49:39.920175Z")}},
		{"c8635bd6ee0b11a192d902fc00000001", Told{Shape: "hex-32"}}, // a time in 1998
		{"c8635bd6ee0b11f112d902fc00000001", Told{Shape: "hex-32"}}, // no UUID's variant
		{"019adcf7-8c00-7abc-9def-0123456789ab", Told{Shape: "uuid-v7", Acquired: at("2025-12-02T02:50:02.112Z")}},
		{"yGNb1u4LEfGS2QL8AAAAAQ==", Told{Shape: "uuid-v1", Host: "02:fc:00:00:00:01", Acquired: at("2026-12-02T04:49:39.920175Z")}},
		{"9d1f3b6a7c2e4805f1a2b3c4d5e6f708", Told{Shape: "hex-32"}},
		{"ADDED:2026-12-02T03:04:05.678Z@build-7:6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", Told{Shape: "shedlock", Host: "build-7", Acquired: at("2026-12-02T03:04:05.678Z")}},
		{"ADDED:x2Z@a:b:6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", Told{Shape: "shedlock", Host: "a:b"}},
		{"WEB-3_4312_0f8fad5bd9cb469fa16570867728950e", Told{Shape: "medallion", Host: "WEB-3", Process: "4312"}},
		{"my_host_4312_0f8fad5bd9cb469fa16570867728950e_WRITERWAITING", Told{Shape: "medallion", Host: "my_host", Process: "4312"}},
		{"6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:3", Told{Shape: "uuid:n", Process: "6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11"}},
		{"6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11-worker", Told{Shape: "uuid-text", Metadata: "worker"}},
		{"q1w2E3r4t5y6u7i8o9p0aQhost=web-3", Told{Shape: "base64url-16+text", Metadata: "host=web-3"}},
		{"q1w2E3r4t5y6u7i8o9p0aQ", Told{Shape: "base64url-16"}},
		{"Worker-Number-12-on-Bl-and-more", Told{}},
		{"q83Ff0VwWl2rXo1Z0p7m9mFhcN4t6bB5yKxq1TzWcJM=", Told{Shape: "base64-32"}},
		{"p3Zk0sXl9bqYw7dTnM1cVg8R", Told{Shape: "base64-18"}},
		{"n9Ydq0xWmI2rXo1Z0p7m9g==", Told{Shape: "base64-16"}},
		{"k2Jd93LmQpZx81Wa", Told{Shape: "alnum-16"}},
		{"productionserver", Told{}},
		{"web-3.example:4312", Told{Shape: "host:pid", Host: "web-3.example", Process: "4312"}},
		{"web-3:4312:0123456789ab", Told{Shape: "host:pid:nonce", Host: "web-3", Process: "4312"}},
		{"web-3:4312:other", Told{}},
		{"10.0.0.1:4312", Told{}},
		{"lock:1796187030", Told{}},
		{"4711:0.12345600 1796212000:99", Told{Shape: "pid:microtime", Process: "4711", Acquired: 1796212000_123456}},
		{"4711:0.12345600 1396212000:99", Told{}},
		{"\x80\x05\x95\x00\x8c\x011\x94.", Told{Shape: "pickle"}},
		{"\x8f\x02\xc1\xd4\xe5\xf6\x07\x18\x29\x3a\x4b\x5c\x6d\x7e\x8f\x90\x01\x12\x23\x34\x45\x56\x67\x78", Told{Shape: "raw-24"}},
		{`s:16:"k2Jd93LmQpZx81Wa";`, Told{Shape: "php"}},
		{"1", Told{}},
		{"", Told{}},
	} {
		got := Tell(c.token, noon)
		switch {
		case got == nil && c.want != Told{}, got != nil && *got != c.want:
			t.Errorf("Tell(%q) = %+v, want %+v", c.token, got, c.want)
		}
	}
}

func TestTellUniqid(t *testing.T) {
	const token = "6b0f1a3012345" // 2026-12-01
	got := Tell(token, noon)
	if got == nil || got.Shape != "uniqid" || got.Acquired != 0x6b0f1a30*second+0x12345 {
		t.Errorf("%+v", got)
	}
	for _, now := range []int64{0, noon + 2*year, noon - year} {
		if got := Tell(token, now); got != nil {
			t.Errorf("at %d: %+v", now, got)
		}
	}
}

// FuzzTell: no panic, no time that is not plausible, and no part that the token
// does not hold.
func FuzzTell(f *testing.F) {
	for _, s := range []string{
		"6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11:3", "c8635bd6ee0b11f192d902fc00000001", "yGNb1u4LEfGS2QL8AAAAAQ==",
		"ADDED:2026-12-02T03:04:05.678Z@build-7:6f1c0a52-2f0e-4f6f-9f3b-0d6b3f8f3a11", "6b0f1a3012345",
		"WEB-3_4312_0f8fad5bd9cb469fa16570867728950e", "4711:0.12345600 1796212000:99", "web-3:4312", "q1w2E3r4t5y6u7i8o9p0aQx", "\x80\x05.",
	} {
		f.Add(s, noon)
	}
	f.Fuzz(func(t *testing.T, token string, now int64) {
		told := Tell(token, now)
		if told == nil {
			return
		}
		if told.Shape == "" || told.Acquired < 0 || told.Acquired != 0 && now <= 0 {
			t.Fatalf("%q: %+v", token, told)
		}
	})
}
