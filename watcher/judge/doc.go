// Package judge holds the tests that hold leasetop against what really happened
// on real servers. It has no code but tests, and nothing imports it.
//
// # The cases
//
// testdata/incidents are plays after incidents that operators of lock libraries
// reported. Each starts private servers, has actors send commands at their
// times, watches beside them, and says which lines are right, which findings
// belong to them and what must never be claimed. scenario_test.go tells the
// language of the files.
//
// # The judge
//
// Random histories of many clients and keys are played on a real server and
// recorded by the clients' own replies and by MONITOR. A simulator of what Redis
// does with keys, which knows nothing of package model, turns the record into
// tenures; what leasetop told must be that, line by line where notifications
// told it, and lawfully less where only readings did.
//
//	go test ./watcher/judge -run TestJudge -judge.for 10m
//	go test ./watcher/judge -run TestJudge -judge.seed 42
//
// # Load
//
// TestOverload floods a watched pattern; -judge.overload says for how long.
// TestLag and TestSources measure, and run only when -judge.measure is given.
package judge
