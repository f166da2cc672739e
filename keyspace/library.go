package keyspace

// DefaultPatterns are the globs used when the user gives none.
func DefaultPatterns() []string { return []string{"lock:*"} }
