// Package peers holds the tests in which real lock libraries and their command
// sequences work on a real server, and leasetop tells what it saw. It is a
// module of its own, so that nobody who builds leasetop downloads them.
//
//	a library ----> redis-server ----> watcher ----> model.Ledger
//	     |            (private)                          |
//	     '------------ the test compares both -----------'
//
// Each story runs twice: with notifications and no sweep to lean on, and by
// polling alone. The deadline that leasetop tells is compared with the one that
// the server gives; a granted TTL must lie within the bounds that leasetop tells
// with it. No test waits for a fixed time to prove anything.
//
// Libraries for JavaScript run in processes of their own (folder node), driven
// line by line.
package peers
