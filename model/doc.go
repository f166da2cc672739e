// Package model holds leases and time: observations and time go in as
// arguments, transitions come out. The watchers feed the Bubble Tea model of
// package ui, whose state is this package's Ledger; no Bubble Tea is here.
//
// It is pure. It reads no clock, starts no goroutine and does no I/O, so that a
// recording of its inputs gives the same transitions again, byte for byte.
//
//	Health ───────┐
//	Observation ──┼─▶ Ledger.Apply ─▶ Transition (a line of the timeline)
//	Advance(now) ─┘         │
//	                        └─▶ Lease: Tenures (who holds it), Reading (what was read)
//
// # Words
//
// A lease is the right that a lock key records; it ends by itself at its
// deadline. A tenure is one holder's time on a key with its renewals. The
// generation is our own count of a key's tenures; it is no fencing token. A
// hint says that a key changed and by which event, never what it holds. A gap
// is a span in which we could not see; nothing inside it is invented.
//
// # The life of a key
//
//	          found (before the first sweep was done)
//	        ┌──────────────────────────────────────────┐
//	        │                                          ▼
//	     ┌──────┐  acquired                    ┌────────────────┐ ──┐ renewed, shortened,
//	──▶  │ free │ ───────────────────────────▶ │      held      │   │ recount, expiry-added,
//	     └──────┘                              │  or no expiry  │ ◀─┘ expiry-removed,
//	        ▲                                  └────────────────┘     overwritten, replaced
//	        │ released, expired, evicted,        │           ▲
//	        │ flushed, renamed, lost             │ deadline  │ renewed
//	        └────────────────────────────────────┤ passes    │
//	        └───────────────────────────────  ┌──▼───────────┴─┐
//	                                          │    overdue     │
//	                                          └────────────────┘
//
// # The rules
//
//   - The event's name says how a tenure ended; the reading says who holds the
//     key now. With both a line is observed, with readings alone inferred.
//   - Hints are walked in their order. An end closes the tenures that stand, a
//     write on a free key opens one. A tenure that was over before anybody read
//     it has no owner (null).
//   - A write over a living string is a renewal when the same owner is read
//     after it, an overwriting when another is. Members of a hash or sorted set
//     come and go by themselves.
//   - An expiry happened at its deadline, whenever it was announced. `del` ends
//     a tenure before its deadline on a primary; a replica says `del` for an
//     expiry too, so there the deadline decides.
//   - The same token after an end is a new tenure.
//   - What vanished while we could not see is lost; who stands there instead
//     replaced it.
//   - Within a key the instants of the lines never go back.
//
// # Bounds
//
// Limits says how many timeline entries and how many free keys are kept. Free
// keys go first, the longest free before the others; what was given up is
// counted in Totals.
package model
