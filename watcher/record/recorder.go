package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"leasetop/model"
)

// queueBound is how many inputs may wait to be written.
const queueBound = 1 << 16

// ErrBehind means that inputs came faster than they could be written: the
// recording ends there, since one with a hole would tell another story.
var ErrBehind = errors.New("record: the disk is too slow, the recording ended early")

// Recorder writes inputs in the order in which they are added. Add never waits:
// a screen that records must not stand still for a disk.
type Recorder struct {
	out  *bufio.Writer
	file io.Closer // nil when there is nothing to close

	mu     sync.Mutex
	wake   *sync.Cond
	queue  []model.Input
	closed bool
	err    error
	count  uint64
	done   chan struct{}
}

// NewRecorder writes the first line and begins to record. It may return an
// error of the writer. When w is an io.Closer, Close closes it.
func NewRecorder(w io.Writer) (*Recorder, error) {
	r := &Recorder{out: bufio.NewWriterSize(w, 1<<16), done: make(chan struct{})}
	r.wake = sync.NewCond(&r.mu)
	r.file, _ = w.(io.Closer)
	b, err := json.Marshal(header{magic, version})
	if err == nil {
		_, err = r.out.Write(append(b, '\n'))
	}
	if err == nil {
		err = r.out.Flush()
	}
	if err != nil {
		return nil, fmt.Errorf("record: write the first line: %w", err)
	}
	go r.run() // awaited by Close
	return r, nil
}

// Add queues inputs that were applied to the ledger, in that order. When 65536
// wait already the recording ends with ErrBehind.
func (r *Recorder) Add(inputs ...model.Input) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.err != nil {
		return
	}
	if len(r.queue)+len(inputs) > queueBound {
		r.err = ErrBehind
		return
	}
	r.queue = append(r.queue, inputs...)
	r.count += uint64(len(inputs))
	r.wake.Signal()
}

// Err is what ended the recording early, nil while all is well: ErrBehind or an
// error of the writer.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Count is how many inputs were taken.
func (r *Recorder) Count() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// Close writes what waits, closes the file and returns what ended the recording
// early, or an error of closing.
func (r *Recorder) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	r.wake.Signal()
	r.mu.Unlock()
	<-r.done
	if r.file != nil && !again {
		if err := r.file.Close(); err != nil && r.Err() == nil {
			return fmt.Errorf("record: close the recording: %w", err)
		}
	}
	return r.Err()
}

func (r *Recorder) run() {
	defer close(r.done)
	for {
		r.mu.Lock()
		for len(r.queue) == 0 && !r.closed {
			r.wake.Wait()
		}
		batch := r.queue
		r.queue = nil
		r.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		if err := r.write(batch); err != nil {
			r.mu.Lock()
			r.err = fmt.Errorf("record: write the recording: %w", err)
			r.mu.Unlock()
			return
		}
	}
}

// write ends with a flush, so that a reader of the growing file, or a crash,
// finds whole lines.
func (r *Recorder) write(batch []model.Input) error {
	enc := json.NewEncoder(r.out)
	enc.SetEscapeHTML(false)
	for i := range batch {
		if err := enc.Encode(wired(&batch[i])); err != nil {
			return err
		}
	}
	return r.out.Flush()
}
