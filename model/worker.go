package model

// WorkerEvent is one line that a worker tells of itself (kind "worker" of
// CONTRACT): what it believes and does, never what the key holds.
type WorkerEvent struct {
	Key         string  `json:"key"`
	At          Instant `json:"-"` // by the worker's own wall clock
	JobID       string  `json:"jobId"`
	ExecutionID string  `json:"executionId"`
	Pod         string  `json:"pod"`
	Event       string  `json:"event"`
	ElapsedMs   int64   `json:"elapsedMs"` // the worker's own monotonic time, milliseconds
	Outcome     string  `json:"outcome,omitempty"`
	Fence       *int64  `json:"fence,omitempty"`
	StopMs      *int64  `json:"stopMs,omitempty"` // request to stop until the stop, milliseconds
	Owner       string  `json:"owner,omitempty"`
	Detail      string  `json:"detail,omitempty"`
}
