// Package demo plays two workers and one lease on a real server: the lease runs
// out, the first worker does not stop, and what its late release and its late
// write do is there to be seen.
//
// It writes to Redis as any client does, under lease-demo:<run>: and nowhere
// else, and it removes what it wrote. It never feeds the model: the screen sees
// the demo's leases through the watcher alone, as it sees everybody's.
package demo
