package demo

import (
	"context"

	"leasetop/demo/worker"
)

// A in the scenarios of this file renews its lease while it works.

func renewed() *scenario {
	return &scenario{
		Info: Info{
			Name: "renewal", Title: "a heartbeat, and what a pause does to it",
			Lesson: "A heartbeat stops with the process that it was to keep alive: it makes pauses rarer that end a lease, and rules none out.",
		},
		job:    "invoice-42",
		a:      first(rightly(worker.WriteFenced, true), worker.GateWork, worker.GateWrite, worker.GateRelease),
		b:      second(worker.WriteFenced, worker.GateWrite, worker.GateRelease),
		expect: []expectation{renewalRefused, stoppedItself, writeRejected, releaseRefused},
		steps: []step{
			{StepInfo{"A works and renews its lease", "Each renewal compares the token and sets the deadline anew; A counts from the moment at which it asked."},
				[]op{open("A", worker.GateBegin), reached("A", worker.GateWork), said("A", "lease_renewal", "ok", 2), looked}},
			{StepInfo{"A is stopped, a renewal and a write on their way", "The heartbeat is a part of A. It stands with it."},
				[]op{arm("A", worker.GateRenew), open("A", worker.GateWork), reached("A", worker.GateWrite), pause("A", worker.GateRenew), looked}},
			{StepInfo{"A's lease runs out and B acquires", "Nobody renewed in time, and the server does not ask why."},
				[]op{open("B", worker.GateBegin), reached("B", worker.GateWrite), looked}},
			{StepInfo{"B commits its result", "B's number is the highest that the resource has seen."},
				[]op{open("B", worker.GateWrite), reached("B", worker.GateRelease), looked}},
			{StepInfo{"A goes on and its renewal arrives", "The token on the key is B's: the renewal is refused, and B's token and deadline are as they were. A marks its ownership as lost for good."},
				[]op{untouched(renewalRefused.Name, resume("A"), said("A", "job_stop_requested", "", 1))}},
			{StepInfo{"A's write arrives as well", "It was sent before A knew. Only the resource can refuse it, and does."},
				[]op{open("A", worker.GateWrite), reached("A", worker.GateRelease), judged(writeRejected.Name, bStands), judged(stoppedItself.Name, aStopped)}},
			{StepInfo{"A has stopped and releases", "The release deletes nothing, and its outcome is told beside that of the job, not instead of it."},
				[]op{untouched(releaseRefused.Name, open("A", worker.GateRelease), done("A"))}},
			{StepInfo{"B ends", "One lease after the other, one result."},
				[]op{open("B", worker.GateRelease), done("B"), looked}},
		},
	}
}

func ambiguous() *scenario {
	carriedOut := func(r *Run) bool {
		before, after := r.seen["before"], r.seen["after"]
		return before.owner == after.owner && after.deadline > before.deadline
	}
	treatedAsLost := func(r *Run) bool {
		return r.a.said["lease_renewal timeout"] > 0 && r.a.said["job_stopped"] > 0 && r.a.said["write_attempt"] == 0
	}
	return &scenario{
		Info: Info{
			Name: "ambiguous", Title: "a renewal without an answer",
			Lesson: "No answer is not a yes: the renewal may have been carried out or not, and a worker that does not know may not go on.",
		},
		job: "invoice-42",
		a:   first(rightly(worker.WriteFenced, true), worker.GateWork, worker.GateRelease),
		b:   second(worker.WriteFenced, worker.GateWrite, worker.GateRelease),
		expect: []expectation{
			{"renewal-carried-out", "the server carried the renewal out", true},
			{"unknown-is-lost", "A does not go on without an answer", true},
			oneEffect,
		},
		setUp: func(_ context.Context, r *Run) (err error) {
			r.proxy, err = newProxy(r.opts.Target)
			if err != nil {
				return err
			}
			through := r.opts.Target
			through.Network, through.Addr = "", r.proxy.Addr()
			if through.TLS != nil && through.TLS.SNI == "" {
				// The certificate is the server's, not the proxy's.
				private := *through.TLS
				private.SNI = r.opts.Target.Host()
				through.TLS = &private
			}
			r.targets["A"] = through
			return nil
		},
		steps: []step{
			{StepInfo{"A works and renews its lease", "Its way to the server leads through a proxy, which passes everything on."},
				[]op{open("A", worker.GateBegin), reached("A", worker.GateWork), said("A", "lease_renewal", "ok", 2), looked}},
			{StepInfo{"A renewal arrives and its answer is lost", "The server has moved the deadline. A waits for an answer that will not come."},
				[]op{arm("A", worker.GateRenew), reached("A", worker.GateRenew), remember("before"), loseAnswers,
					open("A", worker.GateRenew), answerLost, remember("after"), judged("renewal-carried-out", carriedOut)}},
			{StepInfo{"A stops", "It has waited as long as it said it would. The lease is its own, as we can see and A cannot: it stops all the same, before its write."},
				[]op{said("A", "job_stop_requested", "", 1), reached("A", worker.GateRelease), judged("unknown-is-lost", treatedAsLost)}},
			{StepInfo{"A releases over a new connection", "The token makes it safe to try. Without it B would wait for the rest of the TTL."},
				[]op{open("A", worker.GateRelease), done("A"), looked}},
			{StepInfo{"B does the job", "A second attempt with a lease of its own: the job was late, and was done once."},
				[]op{open("B", worker.GateBegin), open("B", worker.GateWrite), reached("B", worker.GateRelease), looked, judged(oneEffect.Name, onceOnly)}},
			{StepInfo{"B ends", "The price of not knowing was time, not a wrong result."},
				[]op{open("B", worker.GateRelease), done("B"), looked}},
		},
	}
}

func crash() *scenario {
	return &scenario{
		Info: Info{
			Name: "crash", Title: "the holder dies",
			Lesson: "This is what the TTL is for: a dead holder keeps others out until its lease runs out, and a longer TTL makes that longer.",
		},
		job: "invoice-42",
		a:   first(rightly(worker.WriteFenced, true), worker.GateWork),
		b:   second(worker.WriteFenced, worker.GateRelease),
		expect: []expectation{
			{"not-before-deadline", "B does not acquire before A's lease is over", true},
			{"taken-over", "B takes the job over", true},
			oneEffect,
		},
		steps: []step{
			{StepInfo{"A works and renews its lease", "All is well, and B is not needed."},
				[]op{open("A", worker.GateBegin), reached("A", worker.GateWork), looked}},
			{StepInfo{"B asks for the lease and is refused", "It goes on asking, with longer and longer pauses up to a bound."},
				[]op{open("B", worker.GateBegin), said("B", "acquire_denied", "", 1), looked}},
			{StepInfo{"A is killed", "Nothing releases the lease. The server does not know that its holder is gone."},
				[]op{kill("A"), looked}},
			{StepInfo{"A's lease runs out and B acquires", "The takeover took what was left of the TTL, and B's pause between two questions."},
				[]op{said("B", "acquired", "", 1), looked, judged("not-before-deadline", notTooEarly), judged("taken-over", bTookOver),
					reached("B", worker.GateRelease), judged(oneEffect.Name, onceOnly)}},
			{StepInfo{"B ends", "The job was done once, later than it could have been."},
				[]op{open("B", worker.GateRelease), done("B"), looked}},
		},
	}
}

func orphan() *scenario {
	a := worker.Manner{Acquire: worker.AcquireTwoSteps, Release: worker.ReleaseCompared, Write: worker.WritePlain}
	return &scenario{
		Info: Info{
			Name: "orphan", Title: "SETNX, a crash, no EXPIRE",
			Lesson: "Lock and expiry belong in one command: between two there is room for a crash, and such a lock never ends.",
		},
		job:     "invoice-42",
		a:       first(a, worker.GateExpire),
		b:       second(worker.WriteFenced),
		givesUp: true,
		expect: []expectation{
			{"lease-has-expiry", "the lock will end by itself", false},
			{"taken-over", "B can take the job over", false},
		},
		steps: []step{
			{StepInfo{"A takes the lock by SETNX", "The expiry is to follow in a second command."},
				[]op{open("A", worker.GateBegin), reached("A", worker.GateExpire), looked}},
			{StepInfo{"A is killed before its EXPIRE", "The lock has no deadline and its holder is gone."},
				[]op{kill("A"), looked, judged("lease-has-expiry", hasExpiry)}},
			{StepInfo{"B tries for as long as a lease would have lasted", "It gives up: nothing but a hand will free this lock. Leasetop lists it among its findings."},
				[]op{open("B", worker.GateBegin), done("B"), looked, judged("taken-over", bTookOver)}},
		},
	}
}
