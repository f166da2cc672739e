package demo

import "leasetop/demo/worker"

func longReport() *scenario {
	a := worker.Manner{Acquire: worker.AcquirePlain, Release: worker.ReleaseCompared, Marker: "first"}
	b := a
	b.Marker, b.Renew = "second", true
	return &scenario{
		Info: Info{
			Name: "report", Title: "a job that is longer than its lease",
			Lesson: "No pause and no crash is needed: a job that takes longer than its TTL runs twice at the same time.",
		},
		job: "report-42",
		a:   first(a, worker.GateRelease),
		b:   part{"B", b, []string{worker.GateBegin, worker.GateRelease}},
		expect: []expectation{
			{"work-overlapped", "both worked at the same time", true},
			releaseRefused,
			{"own-release-deleted", "B's release ends B's lease", true},
		},
		steps: []step{
			{StepInfo{"A acquires and starts the report", "A marker in Redis says so. The lease is shorter than the report, and nothing renews it."},
				[]op{open("A", worker.GateBegin), said("A", "job_start", "", 1), looked}},
			{StepInfo{"A's lease runs out, B acquires and starts the same report", "B saw A's marker and asked until the lease was free. It sets a marker of its own."},
				[]op{open("B", worker.GateBegin), said("B", "job_start", "", 1), looked}},
			{StepInfo{"A sees that B has started, and is still at work", "A kept its job open until then, so that the order does not hang on who was started when."},
				[]op{reached("A", worker.GateRelease), judged("work-overlapped", bothAtWork)}},
			{StepInfo{"A finishes and releases", "Its release deletes 0: the token on the key is B's."},
				[]op{untouched(releaseRefused.Name, open("A", worker.GateRelease), done("A"))}},
			{StepInfo{"B finishes", "It stayed at work until A had tried its release."},
				[]op{reached("B", worker.GateRelease), looked}},
			{StepInfo{"B releases", "Its release deletes 1. The load was there twice for a while; which result counts is for the place where it is stored to say."},
				[]op{open("B", worker.GateRelease), done("B"), looked, judged("own-release-deleted", bReleased)}},
		},
	}
}
