package demo

import "leasetop/demo/worker"

// The scenarios of this file are one story told with other protections: A stops
// between its last check and its write, its lease runs out, B takes over and
// commits, and A comes back.

// told is what differs in the telling.
type told struct {
	begins  string // A acquires and works
	stands  string // A is stopped
	takes   string // B acquires
	commits string // B writes
	writes  string // A comes back and writes
	writing string // title of that step
	late    string // A releases
	ends    string // B ends
	judges  []op   // at the write
}

func pauseSteps(t told) []step {
	return []step{
		{StepInfo{"A acquires the lease and does its work", t.begins},
			[]op{open("A", worker.GateBegin), reached("A", worker.GateWrite), looked}},
		{StepInfo{"A is stopped, its write on its way", t.stands},
			[]op{pause("A", worker.GateWrite), looked}},
		{StepInfo{"A's lease runs out and B acquires", t.takes},
			[]op{open("B", worker.GateBegin), reached("B", worker.GateWrite), looked}},
		{StepInfo{"B commits its result", t.commits},
			[]op{open("B", worker.GateWrite), reached("B", worker.GateRelease), looked}},
		{StepInfo{t.writing, t.writes},
			append([]op{resume("A"), reached("A", worker.GateRelease)}, t.judges...)},
		{StepInfo{"A releases", t.late},
			[]op{untouched(releaseRefused.Name, open("A", worker.GateRelease), done("A"))}},
		{StepInfo{"B ends", t.ends},
			[]op{open("B", worker.GateRelease), done("B"), looked}},
	}
}

func staleWrite() op { return judged(writeRejected.Name, bStands) }

func naive() *scenario {
	careless := worker.Manner{Acquire: worker.AcquirePlain, Release: worker.ReleaseDelete, Write: worker.WritePlain}
	b := careless
	b.Renew = true
	return &scenario{
		Info: Info{
			Name: "naive", Title: "plain DEL, no fence",
			Lesson: "A lease ends by itself and stops nobody: without a token and a fence, whoever comes late breaks both the lock and the result.",
		},
		job:    "invoice-42",
		a:      first(careless, worker.GateWrite, worker.GateRelease),
		b:      part{"B", b, []string{worker.GateBegin, worker.GateWrite, worker.GateRelease}},
		expect: []expectation{releaseRefused.not(), writeRejected.not()},
		steps: pauseSteps(told{
			begins:  "SET NX PX said yes: that is true at this moment, and until the TTL runs out.",
			stands:  "A garbage collection, a busy host or a debugger does the same: A does not notice that time passes.",
			takes:   "Redis has done its part: the key is free at its deadline, whatever A is doing.",
			commits: "B did nothing wrong, and its result stands.",
			writing: "A goes on and writes",
			writes:  "A still believes what it was told at the start, and nothing on the way to the resource knows better: B's result is overwritten.",
			late:    "DEL asks nobody whose key it is: A removes B's lease, and a third worker could start now.",
			ends:    "B finds nothing to release: its lease was taken from it while it worked.",
			judges:  []op{staleWrite()},
		}),
	}
}

func tokenChecked() *scenario {
	a := worker.Manner{Acquire: worker.AcquireFenced, Release: worker.ReleaseCompared, Write: worker.WritePlain}
	return &scenario{
		Info: Info{
			Name: "token", Title: "token-checked release, no fence",
			Lesson: "The owner token protects the key and nothing else: the late release is refused, the late write is not.",
		},
		job:    "invoice-42",
		a:      first(a, worker.GateWrite, worker.GateRelease),
		b:      second(worker.WritePlain, worker.GateWrite, worker.GateRelease),
		expect: []expectation{releaseRefused, writeRejected.not()},
		steps: pauseSteps(told{
			begins:  "The value of the key is a token that no other attempt has; a number comes with it, which nobody checks yet.",
			stands:  "A stands. The lease goes on running down: it belongs to the server's clock.",
			takes:   "Two workers have now acquired the same lease, one after the other, and both believe in it.",
			commits: "The resource takes the write. It has never heard of a lease.",
			writing: "A goes on and writes",
			writes:  "The token is known to Redis only. The resource takes A's write as it took B's.",
			late:    "Compare and delete in one step: the token on the key is B's, so A's release deletes nothing.",
			ends:    "B releases its own lease. The lock was right all the time, and the result is still A's.",
			judges:  []op{staleWrite()},
		}),
	}
}

func fencedResource() *scenario {
	return &scenario{
		Info: Info{
			Name: "fenced", Title: "token-checked release and a fence",
			Lesson: "What must not be written late has to be refused by the resource itself, by a number that grows with each acquisition.",
		},
		job:    "invoice-42",
		a:      first(rightly(worker.WriteFenced, false), worker.GateWrite, worker.GateRelease),
		b:      second(worker.WriteFenced, worker.GateWrite, worker.GateRelease),
		expect: []expectation{releaseRefused, writeRejected, stoppedItself},
		steps: pauseSteps(told{
			begins:  "With the lease comes a fencing token, one higher than the last. A checks its own deadline before it writes.",
			stands:  "A is stopped after its check. No check can close this gap, however close to the write it stands.",
			takes:   "B gets the next number.",
			commits: "The resource keeps the highest number with the value, in the same transaction.",
			writing: "A goes on and its write arrives",
			writes:  "The number is lower than the one that the resource has seen: the write is refused there, and A stops.",
			late:    "A's release compares the token and deletes nothing.",
			ends:    "B's result stands and B's lease was its own to the end.",
			judges:  []op{staleWrite(), judged(stoppedItself.Name, aStopped)},
		}),
	}
}

func checkThenWrite() *scenario {
	a := worker.Manner{Acquire: worker.AcquireFenced, Release: worker.ReleaseCompared, Check: worker.CheckByAsk, Write: worker.WritePlain}
	return &scenario{
		Info: Info{
			Name: "check-then-write", Title: "GET and PTTL just before the write",
			Lesson: "Asking Redis before a write proves what was, not what is: the pause fits between the answer and the write.",
		},
		job:    "invoice-42",
		a:      first(a, worker.GateWrite, worker.GateRelease),
		b:      second(worker.WritePlain, worker.GateWrite, worker.GateRelease),
		expect: []expectation{{"check-passed", "A asked, and the lease was its own", true}, releaseRefused, writeRejected.not()},
		steps: pauseSteps(told{
			begins:  "A asks Redis right before its write: the token is its own and there is time left.",
			stands:  "The answer was true. A is stopped before it can use it.",
			takes:   "The answer that A holds is now false, and A cannot know.",
			commits: "B's result stands.",
			writing: "A goes on and writes, as it was allowed to",
			writes:  "The check passed and the write is stale all the same: a check somewhere else is not part of the write.",
			late:    "The release compares and deletes in one step. That is what the check and the write could not do.",
			ends:    "B releases its own lease; the result is A's.",
			judges:  []op{staleWrite(), judged("check-passed", askedFirst)},
		}),
	}
}

func idempotent() *scenario {
	a := worker.Manner{Acquire: worker.AcquirePlain, Release: worker.ReleaseCompared, Write: worker.WriteOnce}
	firstResult := func(r *Run) bool { return r.a.said["write_duplicate"] == 1 && r.state.Value == "B" }
	return &scenario{
		Info: Info{
			Name: "idempotent", Title: "no fence, one completion for each job",
			Lesson: "A unique record of the completion at the destination makes the second one harmless: both computed, one effect.",
		},
		job:    "invoice-42",
		a:      first(a, worker.GateWrite, worker.GateRelease),
		b:      second(worker.WriteOnce, worker.GateWrite, worker.GateRelease),
		expect: []expectation{oneEffect, {"second-gets-first-result", "the second completion gets the first one's result", true}, releaseRefused},
		steps: pauseSteps(told{
			begins:  "The identity of the job, not of the attempt, is what its completion will be recorded under.",
			stands:  "A has computed everything and is stopped before it can record it.",
			takes:   "B computes the same again: the work is done twice, and that costs what it costs.",
			commits: "Record and effect are one transaction: neither is there without the other.",
			writing: "A goes on and completes the job",
			writes:  "The job has its completion already. A is given B's result, and changes nothing.",
			late:    "A's release compares the token and deletes nothing.",
			ends:    "Work overlapped, the effect did not: these are two questions, and only one of them was answered by the database.",
			judges:  []op{judged(oneEffect.Name, onceOnly), judged("second-gets-first-result", firstResult)},
		}),
	}
}
