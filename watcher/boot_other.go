//go:build !linux

package watcher

import "time"

// sinceBoot is not known here: a sleep of the machine then shows as a server
// clock that stepped.
func sinceBoot() (time.Duration, bool) { return 0, false }
