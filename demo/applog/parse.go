// Package applog reads what real workers tell of themselves: lines of JSON in
// the shape that the contract gives for worker events, from a file that grows or
// from a pipe.
package applog

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"leasetop/model"
)

// events are the worker events of the contract, with the outcomes that each may
// have. Nil: an outcome has no meaning there and is passed on as it is.
var events = map[string][]string{
	"acquire_attempt":     nil,
	"acquired":            nil,
	"acquire_denied":      nil,
	"acquire_uncertain":   nil,
	"job_start":           nil,
	"lease_renewal":       {"ok", "rejected", "timeout", "late"},
	"ownership_uncertain": nil,
	"job_stop_requested":  nil,
	"job_stopped":         nil,
	"write_attempt":       nil,
	"write_accepted":      nil,
	"write_rejected":      nil,
	"write_duplicate":     nil,
	"release":             {"deleted", "not-owner", "error"},
	"job_finish":          nil,
}

// others are the other kinds of lines that leasetop itself writes.
var others = []string{"transition", "status", "finding", "lease", "verdict"}

// ErrOther means that a line is one of leasetop's own of another kind, as when a
// recording of the demo is read: it does not fit, and nothing is wrong with it.
var ErrOther = errors.New("a line of another kind")

// line is an event as it is written. Kind may be left out: an application has no
// other kind of lines here.
type line struct {
	Kind     string  `json:"kind"`
	At       string  `json:"at"`
	KeyB64   *string `json:"key_b64"`
	OwnerB64 *string `json:"owner_b64"`
	model.WorkerEvent
}

// Parse reads one line. Its error says what does not fit, in a few words; it may
// be ErrOther.
func Parse(text []byte) (model.WorkerEvent, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return model.WorkerEvent{}, plain(err)
	}
	if slices.Contains(others, l.Kind) {
		return model.WorkerEvent{}, ErrOther
	}
	if l.Kind != "" && l.Kind != "worker" {
		return model.WorkerEvent{}, fmt.Errorf("kind %q is not worker", l.Kind)
	}
	e := l.WorkerEvent
	outcomes, known := events[e.Event]
	switch {
	case !known:
		return model.WorkerEvent{}, fmt.Errorf("event %q is none of a worker's", e.Event)
	case outcomes != nil && !slices.Contains(outcomes, e.Outcome):
		return model.WorkerEvent{}, fmt.Errorf("outcome %q is none of %s", e.Outcome, e.Event)
	case e.ExecutionID == "":
		return model.WorkerEvent{}, errors.New("no executionId: nothing tells the attempts apart")
	case e.ElapsedMs < 0:
		return model.WorkerEvent{}, fmt.Errorf("elapsedMs %d is below zero", e.ElapsedMs)
	}
	at, err := time.Parse(time.RFC3339Nano, l.At)
	if err != nil {
		return model.WorkerEvent{}, fmt.Errorf("at %q is no time as in RFC 3339", l.At)
	}
	e.At = model.InstantOf(at)
	if err := raw(&e.Key, l.KeyB64); err != nil {
		return model.WorkerEvent{}, fmt.Errorf("key_b64: %w", err)
	}
	if err := raw(&e.Owner, l.OwnerB64); err != nil {
		return model.WorkerEvent{}, fmt.Errorf("owner_b64: %w", err)
	}
	if e.Key == "" {
		return model.WorkerEvent{}, errors.New("no key: it belongs to no lease")
	}
	return e, nil
}

// raw takes bytes that are no UTF-8 from their base64 form, when that is given.
func raw(to *string, b64 *string) error {
	if b64 == nil {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(*b64)
	if err != nil {
		return errors.New("no base64")
	}
	*to = string(b)
	return nil
}

// plain is an error of encoding/json without the names of our types.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return fmt.Errorf("%s is a %s", kind.Field, kind.Value)
	}
	if errors.As(err, &kind) {
		return fmt.Errorf("a %s, no object", kind.Value)
	}
	return errors.New("no JSON")
}
