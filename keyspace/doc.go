// Package keyspace decodes what Redis says about lock keys: notifications and
// their settings, key patterns, and how some ninety libraries store a lock. It
// opens no connection and reads no clock; it imports the standard library only.
//
//	__keyspace@0__:lock:a  "set"          CONFIG GET        PATTERN words
//	          |                               |                  |
//	     ParseEvent                  ParseNotifyFlags      ParsePatterns
//	          |                               |                  |
//	        Event                       NotifyFlags          Patterns
//	   (a hint: read again)         Missing, Union, ...   Match, Prefixes
//
//	one atomic read            a second step                the lock
//	      Raw ----Companions----> names ----> Raws
//	       \______________________________________\__Decode__> Lock
//
// # Words
//
// A hint says that a key changed. What the key holds, only a read shows.
//
// A Raw is what one atomic read brought: type, a bounded part of the value, the
// key's deadline and the server's clock. A companion is a key that belongs to a
// lock and is none itself: a queue of waiters, a fencing counter, the deadline
// of one hold. Companions names those that a lock needs, CompanionOf turns the
// change of one into "read that lock again", and Lock.Part keeps them out of the
// list of locks.
//
// A Format is one way of storing locks; a Library is whoever does so, with its
// key patterns, its usual TTL and how often it renews. Both are tables. A next
// format is a next row of formats, a next library a next row of libraries, and
// nothing outside this package knows how many there are.
//
// # Detection
//
// In this order: --format words; companions; key patterns of libraries; Redis
// type and shape. A library's row holds only if the content agrees. The value of
// a string alone never makes it a lock: somebody's pattern selected the key, and
// then a value that nothing else explains is an owner token. Numbers are times
// only in these years. What no format explains is Unknown, with a remark, and is
// never hidden and never guessed.
//
// # Time
//
// A deadline is in microseconds of the server's clock. Where it stands in a
// value, a score or a companion it is read exactly, in seconds to nanoseconds by
// its size; the far future saturates, and what is no time leaves a remark in
// Lock.Note instead of a wrong deadline. A member whose own deadline is over is
// no holder: Redis announces nothing at that moment, so whoever shows a lock must
// watch the deadlines of holders as well as the key's.
//
// What a token tells of its host, process or time was written by a client. It is
// told when it is plausible, and proves nothing.
package keyspace
