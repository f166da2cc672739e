package record

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"leasetop/model"
)

// Replay plays a recording as a source, with the recording's own clock.
type Replay struct {
	in    *Reader
	name  string
	speed float64

	mu      sync.Mutex
	began   time.Time     // when the clock was set
	at      model.Instant // to what
	ended   bool
	last    model.Instant // of the recording, once it is read to its end
	count   uint64
	synced  bool
	address string
}

// NewReplay plays what r holds at the given speed: 1 is as it was, 2 twice as
// fast. The name is shown in place of a server's address. It may return
// ErrForeign, ErrVersion or an error of r.
func NewReplay(r io.Reader, name string, speed float64) (*Replay, error) {
	in, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	if speed <= 0 {
		speed = 1
	}
	return &Replay{in: in, name: name, speed: speed}, nil
}

// timeOf is when an input reached the ledger.
func timeOf(in *model.Input) model.Instant {
	switch {
	case in.Observation != nil:
		return in.Observation.ToldAt
	case in.Health != nil:
		return in.Health.At
	}
	return in.Advance
}

// Run emits the inputs when their time has come, and returns nil at the end of
// the recording or of ctx. It may return ErrBroken.
func (p *Replay) Run(ctx context.Context, emit func([]model.Input)) error {
	for {
		in, err := p.in.Read()
		if errors.Is(err, io.EOF) {
			p.finish()
			return nil
		}
		if err != nil {
			return err
		}
		if wait := p.until(timeOf(&in)); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return nil
			}
		}
		p.note(&in)
		emit([]model.Input{in})
	}
}

// until is how long to wait for an instant of the recording; the first one sets
// the clock.
func (p *Replay) until(at model.Instant) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		p.began, p.at = time.Now(), at
	}
	return time.Duration(float64(at.Sub(p.now())) / p.speed)
}

func (p *Replay) note(in *model.Input) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	p.last = max(p.last, timeOf(in))
	if h := in.Health; h != nil {
		p.address = h.Node
		p.synced = p.synced || h.State == model.StateSynced
	}
}

// finish stops the clock: after the last input nothing is known.
func (p *Replay) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

func (p *Replay) now() model.Instant {
	switch {
	case p.ended:
		return p.last
	case p.began.IsZero():
		return 0
	}
	return p.at.Add(time.Duration(float64(time.Since(p.began)) * p.speed))
}

// Now is the instant of the recording that is played now; 0 before the first.
func (p *Replay) Now() model.Instant {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now()
}

// Ended reports whether the recording was played to its end.
func (p *Replay) Ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// Counters say what is played; nothing is sent to a server.
func (p *Replay) Counters() model.Counters {
	p.mu.Lock()
	defer p.mu.Unlock()
	return model.Counters{Server: "recording of " + p.address, Address: p.name, Connected: true, Synced: p.synced,
		State: model.StateConnected, Source: model.SourceEvent, Notify: model.NotifyOn, Reads: p.count, LastRead: p.now()}
}
