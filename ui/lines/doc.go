// Package lines tells transitions, states, leases, findings, worker events and
// verdicts without a screen: as text for people, as JSON lines and as CSV.
//
// The names and meanings of all JSON fields are the project's contract: fields
// are added, never renamed. JSON and CSV are written from one list of fields
// for each kind of line, so that they cannot drift apart.
//
// Keys and owner tokens are raw bytes that strangers wrote. In JSON a name or
// token that is not valid UTF-8 stands in a field with the suffix _b64 instead,
// and every rune that does not print is escaped, which loses nothing. In CSV
// whatever does not print goes to the _b64 column. In text everything passes
// through package printable.
//
// The package is pure but for the io.Writer of a Writer: no clock, no terminal.
package lines
