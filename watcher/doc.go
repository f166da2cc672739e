// Package watcher is the only reader of Redis: it connects, subscribes, sweeps,
// reads changed keys back, and tells what it saw as inputs for a model.Ledger.
// By default it sends only commands that read.
//
// # The way of a change
//
//	 server                       one feed for a node                        ledger
//	┌────────┐ notifications  ┌──────────────┐
//	│ events │───────────────▶│ receive loop │── hint(key, op) ─┐
//	│ pushes │ (subscriber's  │ waits for    │                  ▼
//	│        │   connection)  │ nobody       │            ┌───────────┐
//	│        │◀── PING n ─────│              │            │ dirty set │ a key is in
//	│        │─── PONG n ────▶│              │            │ bounded   │ it once
//	│        │                └──────────────┘            └───────────┘
//	│        │                                             ▲   ▲   │ take ≤ 128
//	│        │  SCAN            ┌─────────┐  names         │   │   ▼
//	│  keys  │◀────────────────▶│ sweeper │────────────────┘   │ ┌────────┐  settled   ┌────────┐
//	│        │                  └─────────┘            deadlines │ reader │───────────▶│ outlet │─▶ emit
//	│        │◀── MULTI TIME GETRANGE PEXPIRETIME … EXEC ───────▶│        │observations│        │
//	│        │                                                   └────────┘            └────────┘
//	│ INFO   │◀──── every 2 s: another role, a flush, a setting ──── look ── health ────────▲
//	└────────┘◀──── every 1 s: a sign of life ────────────────────── heart ─ gaps ──────────┘
//
// # What an observation promises
//
// A notification is a hint: it says that a key changed, never what the key
// holds. The reader takes dirty keys with the hints that came for them and reads
// each in one transaction with the server's clock. After the answer it sends
// PING on the subscriber's connection and waits for the PONG: whatever the
// server did before the reading has been announced by then. A key for which no
// hint came between taking and PONG is settled: the reading reflects exactly the
// hints, no more and no less. A key for which one came is read again with all
// its hints. A key that changes faster than that is told by its hints alone,
// after three readings in vain, so that nothing grows; if all that came since
// moved its deadline only, the reading is told as well.
//
// Two further cases are settled. A key that was missing and whose last hint is
// an end is missing. Where no notifications come, a reading stands by itself,
// and the next change makes the key dirty again.
//
// Observations of a node are numbered in the order in which they are handed on,
// and batches are handed on one at a time. While the consumer is busy, keys
// coalesce and hints are kept up to a bound; what is beyond is counted and told
// (Observation.Lost), and the receive loop goes on.
//
// # What is not seen
//
// Pub/Sub keeps nothing, so whenever the connection breaks there is a gap: from
// the sending of the last PING that was answered to the confirmation of the new
// subscriptions. It is told, and followed by a sweep of everything. The same
// goes for a process of ours that was stopped, for a dirty set without room, for
// a notification setting that somebody changed, for a server that changed its
// role or caught up with its primary. A connection that is silent for 2.5 s,
// although it is asked for an answer every second, counts as broken.
//
// FLUSHALL, FLUSHDB and SWAPDB send no event. The first look at INFO commandstats
// that counts one more of them starts a sweep; any other silent change is found
// by the sweep of the interval.
//
// # Deadlines and clocks
//
// Each answer to TIME bounds the offset of the server's clock to the local
// monotonic one; the bounds are intersected and widen with age (serverClock). A
// wall clock that is set, here or there, changes no countdown. A key is read
// when its deadline is over by a millisecond even by the most cautious estimate:
// until then the server counts it as alive. That read makes the server delete
// and announce the key, unless NoTouch forbids it.
//
// # Who may do what
//
// A command or a key that the user may not have is left out and told once; the
// rest is read. Without CONFIG GET the state of notifications is unknown until
// the first event comes; client tracking stands in meanwhile.
package watcher
