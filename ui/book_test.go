package ui

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"
	"unique"

	"leasetop/model"
)

// The list equals a list that is sorted from scratch, whatever was put and
// dropped in whatever numbers between two looks at it.
func TestBookStaysSorted(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := newBook()
		match := func(x *row) bool { return x.renewals%3 != 0 }
		if seed%2 == 0 {
			match = nil
		}
		b.sort(order{by: column(r.IntN(int(columns))), down: r.IntN(2) == 0})
		b.filter(match)
		for round := range 30 {
			if round%10 == 9 {
				b.sort(order{by: column(r.IntN(int(columns))), down: r.IntN(2) == 0})
			}
			for range r.IntN(1 + []int{3, 40, 400}[r.IntN(3)]) {
				k := model.Key{Name: "k" + strconv.Itoa(r.IntN(300))}
				if r.IntN(4) == 0 {
					b.drop(k)
					continue
				}
				b.put(&row{key: k, deadline: model.Instant(r.IntN(50)), acquired: model.Instant(r.IntN(20)),
					renewals: int32(r.IntN(9)), generation: int32(r.IntN(4)), owner: model.OwnerOf("o" + strconv.Itoa(r.IntN(5))),
					format: unique.Make(strconv.Itoa(r.IntN(3)))})
			}
			b.settle()
			var want []*row
			for _, x := range b.rows {
				if match == nil || match(x) {
					want = append(want, x)
				}
			}
			slices.SortFunc(want, b.order.compare)
			if !slices.Equal(want, b.list()) {
				t.Fatalf("seed %d: the list differs: %d rows, want %d", seed, len(b.list()), len(want))
			}
			for i, x := range b.list() {
				if b.index(x.key) != i {
					t.Fatalf("seed %d: row %d is found at %d", seed, i, b.index(x.key))
				}
			}
		}
	}
}

// The tally is what a walk over the rows would count, at any time.
func TestTallyCountsEveryRow(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := newBook()
		now := model.Instant(1000)
		for range 400 {
			k := model.Key{Name: "k" + strconv.Itoa(r.IntN(60))}
			switch r.IntN(6) {
			case 0:
				b.drop(k)
			case 1:
				b.put(&row{key: k, ended: now})
			case 2:
				b.put(&row{key: k, untold: true})
			default:
				b.put(&row{key: k, deadline: model.Instant(r.IntN(3)) * (now + model.Instant(r.IntN(300)) - 100)})
			}
			b.settle()
			now += model.Instant(r.IntN(20))
			b.tally.pass(now, b.rows)
			var want model.Totals
			for _, x := range b.rows {
				switch {
				case x.ended != 0:
					want.Free++
				case x.untold:
					want.Held++
				case x.deadline == 0:
					want.NoExpiry++
				case now > x.deadline:
					want.Overdue++
				default:
					want.Held++
				}
			}
			if got := b.tally.totals(); got != want {
				t.Fatalf("seed %d: got %+v, want %+v", seed, got, want)
			}
		}
	}
}

func TestEndedRowsLinger(t *testing.T) {
	b := newBook()
	b.put(&row{key: model.Key{Name: "a"}, ended: noon, told: noon})
	b.put(&row{key: model.Key{Name: "b"}, deadline: noon.Add(time.Hour)})
	b.expire(noon.Add(lingering - 1000*time.Microsecond))
	if b.settle(); b.len() != 2 {
		t.Errorf("%d rows before the end of the time, want 2", b.len())
	}
	b.expire(noon.Add(lingering))
	if b.settle(); b.len() != 1 || b.at(0).row.key.Name != "b" {
		t.Errorf("%d rows after it, want b alone", b.len())
	}
}

func TestPrefixes(t *testing.T) {
	for name, want := range map[string]string{
		"lock:invoice:42": "lock:invoice:", "lock:": noPrefix, "a/b/c": "a/b/", "job-17": "job-", "x": noPrefix,
		"orders:{8812}:lock": "orders:{8812}:", "lock:a:": "lock:", ":x": ":",
	} {
		if got := prefixOf(name); got != want {
			t.Errorf("prefixOf(%q) = %q, want %q", name, got, want)
		}
	}
}
