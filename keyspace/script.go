package keyspace

import _ "embed"

// The lease scripts stand in files, to be read and copied; what each takes and
// answers is said in its head.
var (
	//go:embed script/acquire.lua
	acquireScript string
	//go:embed script/renew.lua
	renewScript string
	//go:embed script/release.lua
	releaseScript string
)

// AcquireScript takes a lease and draws its fencing token: KEYS lock, FenceKey
// of it; ARGV owner token, TTL in ms. It answers the fencing token, 0 when held.
// Without a fence, SET lock token NX PX ttl is the same.
func AcquireScript() string { return acquireScript }

// RenewScript prolongs a lease that is still its owner's: KEYS lock; ARGV owner
// token, TTL in ms. It answers 1, or 0 when the lease is not ours any more.
func RenewScript() string { return renewScript }

// ReleaseScript deletes a lease that is still its owner's: KEYS lock; ARGV owner
// token. It answers 1, or 0 when the lease was not ours any more.
func ReleaseScript() string { return releaseScript }
