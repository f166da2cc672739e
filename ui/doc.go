// Package ui is the live screen: the only Bubble Tea code of the program.
//
// One Bubble Tea model, everything else plain structs with verbs:
//
//	Feed ──emit──► intake (bounded, blocks) ──batchMsg──► Model.Update
//	                                                        │ Ledger.Apply
//	tick ──now, counters──────────────────────────────────► │ Ledger.Advance
//	                                                        ▼
//	            book (sorted, filtered rows)   record (what happened when)
//	                                                        │
//	Model.View = pure function of (ledger, moment, size, theme)
//
// The parts:
//
//	moment   the instant that is on the screen: now, or one in the past
//	book     the rows that match, in order; selection is a key, never a line
//	record   the order in which things happened, to step back and forth
//	page     what fills the body: leases, timeline, lanes, findings, demo, help
//	plan     where on the screen everything goes: a pure function of the size
//	painter  the frame being drawn, a row at a time, in styles of the theme
//
// No clock is read in Update or View: a tick brings the server's time with it.
// Every text that comes from a server passes package printable.
package ui
