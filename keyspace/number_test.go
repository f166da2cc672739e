package keyspace

import (
	"math"
	"strconv"
	"testing"
)

func TestParseInstant(t *testing.T) {
	for _, c := range []struct {
		text  string
		unit  unit
		at    int64
		never bool
		ok    bool
	}{
		{"1796186995", bySize, 1796186995_000000, false, true},
		{"1796186995.042747", bySize, 1796186995_042747, false, true},
		{"1796186990297", bySize, 1796186990_297000, false, true},
		{"1796187013249.9141", bySize, 1796187013_249914, false, true},
		{"1796187030613123", bySize, 1796187030_613123, false, true},
		{"1796187165346598363", bySize, 1796187165_346598, false, true},
		{"1.7961871653465984e+18", bySize, 1796187165_346598, false, true},
		{"2147483649.0", bySize, 2147483649_000000, false, true},
		{"inf", bySize, 0, true, true},
		{"+inf", seconds, 0, true, true},
		{"922337203685477", bySize, 0, true, true},
		{"922337203685477", millis, 0, true, true},
		{"253402300799000", millis, 253402300799_000000, false, true}, // the year 9999
		{"253402300799000", bySize, 0, false, false},
		{"9223372036854775807", seconds, 0, false, false},
		{"922337203685477580", seconds, math.MaxInt64, false, true},
		{"922337203685478", millis, 922337203685478_000, false, true},
		{"9223372036854776", millis, math.MaxInt64, false, true},
		{"0", seconds, 0, false, false},
		{"-1", seconds, 0, false, false},
		{"-inf", bySize, 0, false, false},
		{"nan", bySize, 0, false, false},
		{"NaN", millis, 0, false, false},
		{"-nan", millis, 0, false, false},
		{"1e400", millis, 0, false, false},
		{"", bySize, 0, false, false},
		{".", bySize, 0, false, false},
		{"1796186995.", bySize, 1796186995_000000, false, true},
		{"0x6b0f1a", seconds, 0, false, false},
		{"1_796_186_995", seconds, 0, false, false},
		{" 1796186995", seconds, 0, false, false},
		{"12", bySize, 0, false, false},
		{"8312345678", bySize, 0, false, false},
	} {
		got, ok := parseInstant(c.text, c.unit)
		if ok != c.ok || ok && (got.at != c.at || got.never != c.never) {
			t.Errorf("%q unit %d: %+v %v, want %d %v %v", c.text, c.unit, got, ok, c.at, c.never, c.ok)
		}
	}
}

// FuzzParseInstant: a time of known size is never off by more than a
// microsecond from what the text says, and never wraps.
func FuzzParseInstant(f *testing.F) {
	for _, s := range []string{"1796186995.042747", "1796186990297", "inf", "9223372036854775807", "1e300", "-1", "99999999999999999999.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range []unit{bySize, seconds, millis, micros, nanos} {
			got, ok := parseInstant(s, u)
			if !ok || got.never {
				continue
			}
			if got.at <= 0 {
				t.Fatalf("%q: %+v", s, got)
			}
			v, err := strconv.ParseFloat(s, 64)
			if err != nil || u == bySize {
				continue
			}
			want := v / float64(u) * 1e6
			if diff := math.Abs(want - float64(got.at)); got.at != math.MaxInt64 && diff > 2+want/1e14 {
				t.Fatalf("%q unit %d: %d, want about %g", s, u, got.at, want)
			}
		}
	})
}
