package lines

import (
	"time"

	"leasetop/model"
)

// base is an instant of the contract's example.
var base = model.InstantOf(time.Date(2026, 12, 2, 12, 4, 25, 801204000, time.UTC))

func after(d time.Duration) model.Instant { return base.Add(d) }

// story is one key's life with every change in it, as a ledger would tell it.
func story() []model.Transition {
	key := model.Key{Node: "127.0.0.1:6379", Name: "lock:invoice:42"}
	var seq uint64
	line := func(change model.Change, at time.Duration, edit func(e *model.Entry)) model.Transition {
		seq++
		e := model.Entry{
			Seq: seq, Change: change, At: after(at), Earliest: after(at), Latest: after(at), ToldAt: after(at + 800*time.Microsecond),
			Owner: model.OwnerOf("7f3ac19e"), Format: "string", Generation: 2, Source: model.SourceEvent, Certainty: model.Observed,
			RenewalsExact: true, Granted: model.NoDuration, Held: model.NoDuration, Free: model.NoDuration,
		}
		edit(&e)
		return model.Transition{Key: key, Entry: e}
	}
	s := time.Second
	return []model.Transition{
		line(model.Found, 0, func(e *model.Entry) { e.Deadline, e.Source, e.Certainty = after(4*s), model.SourcePoll, model.Inferred }),
		line(model.Released, s, func(e *model.Entry) { e.Deadline, e.RenewalsExact = after(4*s), false }),
		line(model.Acquired, 2*s, func(e *model.Entry) {
			e.Deadline, e.Granted, e.Free, e.After = after(7*s), 5*s, s, model.Released
		}),
		line(model.Renewed, 4*s, func(e *model.Entry) { e.Deadline, e.Granted, e.Renewals = after(9*s), 5*s, 1 }),
		line(model.Shortened, 5*s, func(e *model.Entry) { e.Deadline, e.Granted, e.Renewals = after(6*s), s, 1 }),
		line(model.ExpiryRemoved, 5500*time.Millisecond, func(e *model.Entry) { e.Renewals = 1 }),
		line(model.ExpiryAdded, 5600*time.Millisecond, func(e *model.Entry) { e.Deadline, e.Granted = after(6*s), 400*time.Millisecond }),
		line(model.Recount, 5700*time.Millisecond, func(e *model.Entry) { e.Deadline, e.Count, e.Format = after(6*s), 2, "redisson" }),
		line(model.Overdue, 6*s, func(e *model.Entry) { e.Deadline, e.Source = after(6*s), model.SourceDeadline }),
		line(model.Expired, 6*s, func(e *model.Entry) { e.Deadline, e.Held, e.Renewals = after(6*s), 4*s, 1 }),
		line(model.Acquired, 6*s, func(e *model.Entry) { e.Owner, e.Earliest, e.Untold = model.Owner{}, after(5*s), true }),
		line(model.Overwritten, 8*s, func(e *model.Entry) {
			e.Deadline, e.Granted = after(10*s), 2*s
			e.Previous = &model.Previous{Owner: model.OwnerOf("51be\xff"), Format: "hash", Deadline: after(9 * s), Granted: 3 * s, Held: 2 * s, Generation: 1, RenewalsExact: true}
		}),
		line(model.Replaced, 9*s, func(e *model.Entry) {
			e.Deadline, e.Granted, e.Source, e.Certainty, e.Earliest = after(12*s), 3*s, model.SourcePoll, model.Inferred, after(7*s)
			e.Previous = &model.Previous{Format: "string", Granted: model.NoDuration, Held: model.NoDuration}
		}),
		line(model.Evicted, 10*s, func(e *model.Entry) { e.Held = s }),
		line(model.Flushed, 11*s, func(e *model.Entry) { e.Held = s }),
		line(model.Renamed, 12*s, func(e *model.Entry) { e.Held, e.To = s, "lock:moved" }),
		line(model.Lost, 12*time.Hour, func(e *model.Entry) {
			e.Certainty, e.Earliest, e.RenewalsExact = model.Inferred, after(11*time.Hour), false
		}),
	}
}

func states() []model.Health {
	return []model.Health{
		{Node: "127.0.0.1:6379", At: base, State: model.StateConnected, Detail: "redis 7.0.15, role master", Role: "master", RunID: "f00"},
		{Node: "127.0.0.1:6379", At: base, State: model.StateNotifications, Notify: model.NotifyOn, Flags: "AKE", Source: model.SourceEvent},
		{Node: "127.0.0.1:6379", At: after(time.Second), State: model.StateGap, From: base, To: after(time.Second), Detail: "the connection was closed"},
		{Node: "127.0.0.1:6379", At: after(time.Second), State: model.StateTopology, Changed: true, Detail: "another run id"},
	}
}

// everythingTold has every field, so that each has its place in every form.
func everythingTold() *model.Told {
	return &model.Told{Shape: "host:pid", Host: "web-3", Process: "4312", Thread: "57", Metadata: "nightly run", Acquired: after(-time.Second), Refreshed: after(-500 * time.Millisecond)}
}

func readings() []Lease {
	fence := int64(34)
	node := "127.0.0.1:6379"
	return []Lease{
		{model.Key{Node: node, Name: "lock:invoice:42"}, &model.Reading{
			At: base, Type: "string", Format: "string", Deadline: after(3412 * time.Millisecond),
			Holders: []model.Holder{{Owner: "7f3ac19e-1b22-4f3a-9d1e-5d6e7f80a1b2", Deadline: after(3412 * time.Millisecond), Told: &model.Told{Shape: "uuid-v4"}}},
		}},
		{model.Key{Node: node, Name: "bull:email:77:lock"}, &model.Reading{
			At: base, Type: "string", Format: "string", Library: "BullMQ", Holders: []model.Holder{{Owner: "1d90"}},
		}},
		{model.Key{Node: node, DB: 3, Name: "sem:\xff\x00pool"}, &model.Reading{
			At: base, Type: "zset", Format: "semaphore", Waiters: []string{"w1", "w2"}, Fence: &fence,
			Holders: []model.Holder{{Owner: "a\xfe", Deadline: after(time.Second), Count: 2}, {Owner: "b", Deadline: after(2 * time.Second), Mode: "read", Told: everythingTold()}},
			Expired: []model.Holder{{Owner: "dead", Deadline: after(-time.Second)}},
		}},
		{model.Key{Node: node, Name: "lock:\x1b[31mred"}, &model.Reading{At: base, Type: "list", Deadline: after(time.Minute), Size: 100000, Cut: true}},
		{model.Key{Node: node, Name: "sem:over"}, &model.Reading{
			At: base, Type: "zset", Format: "semaphore", Waiters: []string{},
			Expired: []model.Holder{{Owner: "dead", Deadline: after(-1500 * time.Microsecond)}},
		}},
		{model.Key{Node: node, Name: "lock:anonymous"}, &model.Reading{
			At: base, Type: "string", Format: "flag", Deadline: after(time.Minute), Note: "records no owner",
			Holders: []model.Holder{{Anonymous: true, Deadline: after(time.Minute)}},
		}},
	}
}

func findings() []model.Finding {
	rule := &model.Rule{Name: "no-expiry", Severity: model.Warning, Means: "It will not free itself.", NotProof: "It does not prove that the holder is gone.", Next: "Find the owner."}
	return []model.Finding{{
		Rule: rule, Key: model.Key{Node: "127.0.0.1:6379", Name: "bull:email:77:lock"},
		Owner: model.OwnerOf("1d90"), Generation: 1, Since: base, Detail: "held without a deadline for at least 2 s",
	}}
}

func workers() []model.WorkerEvent {
	fence, stop := int64(33), int64(12)
	return []model.WorkerEvent{
		{Key: "lock:invoice:42", At: base, JobID: "invoice-42", ExecutionID: "attempt-a", Pod: "worker-a", Event: "lease_renewal", ElapsedMs: 4200, Outcome: "timeout"},
		{Key: "lock:invoice:42", At: base, JobID: "invoice-42", ExecutionID: "attempt-a", Pod: "worker-a", Event: "job_stopped", ElapsedMs: 4212, StopMs: &stop, Fence: &fence, Detail: "ownership uncertain"},
	}
}

func verdict() Verdict {
	overlap := int64(3100)
	return Verdict{
		Scenario: "token", AsExpected: true, OverlapMs: &overlap, Accepted: 2,
		Assertions: []Assertion{{"late-release-refused", true, true}, {"stale-write-rejected", true, false}, {"late-renewal-refused", false, false}},
	}
}
