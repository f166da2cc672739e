package demo

// EndGuard ends a run's guard, as somebody who sees a strange process might.
func EndGuard(r *Run) { r.guard.end() }
