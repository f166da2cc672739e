// Package demo plays two workers and one lease on a real server: the lease runs
// out, the first worker does not stop, and what its late release and its late
// write do is there to be seen.
//
// It writes to Redis as any client does, under lease-demo:<run>: and nowhere
// else, and it removes what it wrote. It never feeds the model: the screen sees
// the demo's leases through the watcher alone, as it sees everybody's.
//
// # How a run is made
//
//	this process            guard (a process)      worker A, worker B (processes)
//	  Run ── pipe ──────────▶ ends workers, deletes   ▲        │
//	   │                      keys when the pipe ends │orders  │what they do and say,
//	   ├── pipe to each worker ──────────────────────┘        │one pipe for both
//	   ◀──────────────────────────────────────────────────────┘
//
// A scenario is a list of steps, and a step is a list of things to do and to
// wait for: a worker is let through a gate, is stopped by SIGSTOP, has said that
// it acquired. Nothing waits for time to pass; the TTL alone takes its time, on
// the server. Both workers write to one pipe, so that the order of their lines
// is the order in which things happened.
//
// Workers are in package worker: lease.go is the one done right, and made to be
// copied. What the lease is to protect is in package resource, how work and
// leases overlapped is worked out in package overlap, and lines of real workers
// are read by package applog.
package demo
