// Package record keeps what goes into a ledger and plays it again.
//
//	watcher ──▶ inputs ──┬──▶ Ledger ──▶ transitions
//	                     └──▶ Recorder ──▶ FILE ──▶ Reader / Replay ──▶ Ledger
//
// A recording is JSON lines. The first says what the file is; each further one
// is one input of the ledger, in the order in which it was applied:
//
//	{"leasetop":"recording","v":1}
//	{"health":{"node":"127.0.0.1:6379","at":1764677070801204,"state":"synced"}}
//	{"obs":{"seq":1,"node":"…","db":0,"key":"lock:a","hints":[["set",1764677071000000]],…}}
//	{"advance":1764677075851000}
//
// Instants are microseconds since the epoch on the server's clock. A text that
// is not valid UTF-8 is written as {"b64":"…"}. The same recording and the same
// program give the same transitions, byte for byte.
//
// The version grows when a reader of an older one would misread a file; fields
// may be added without. A last line that is cut off, as a crash leaves it, is
// passed over.
package record
