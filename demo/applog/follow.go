package applog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"leasetop/model"
)

// maxLine bounds a line. What is longer does not fit and is passed over.
const maxLine = 64 << 10

// poll is how often a file is looked at for more.
const poll = 100 * time.Millisecond

// Counts are what was read so far.
type Counts struct {
	Lines  int64 // all that ended, empty ones too
	Events int64
	Other  int64 // leasetop's own lines of other kinds
	Bad    int64 // what does not fit
	First  *Bad  // the first that does not fit
}

// Bad is a line that does not fit.
type Bad struct {
	Number int64  // 1 is the first line
	Text   string // its beginning, raw: it is as untrusted as everything here
	Why    string
}

// maxText bounds what is kept of a bad line.
const maxText = 120

// Follower reads the lines of one file or pipe.
type Follower struct {
	path string    // "" for a pipe
	pipe io.Reader // nil for a file
	file *os.File

	mu     sync.Mutex
	counts Counts
}

// Open opens a file, or takes stdin where path is "-". A file that is not there
// is an error: a name with a slip in it would wait for ever.
func Open(path string, stdin io.Reader) (*Follower, error) {
	if path == "-" {
		return &Follower{pipe: stdin}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read worker lines: %w", err)
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		_ = f.Close()
		return nil, errors.Join(err, fmt.Errorf("read worker lines: %s is no file of lines", path))
	}
	if !info.Mode().IsRegular() {
		return &Follower{pipe: f}, nil
	}
	return &Follower{path: path, file: f}, nil
}

// Counts is what was read so far.
func (f *Follower) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.counts
	if c.First != nil {
		first := *c.First
		c.First = &first
	}
	return c
}

// Run hands on each event in the order of the lines, until ctx ends; that of a
// pipe ends with the pipe, too. A file is read from its beginning and followed
// as it grows; when it is cut, or another file takes its name, reading begins
// anew. Emit is called from one goroutine, and reading waits for it.
func (f *Follower) Run(ctx context.Context, emit func(model.WorkerEvent)) error {
	if f.pipe != nil {
		return f.runPipe(ctx, emit)
	}
	defer func() { _ = f.file.Close() }()
	lines := newLines(f.file)
	for {
		for {
			text, whole, err := lines.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("read worker lines: %w", err)
			}
			if e, ok := f.take(text, whole); ok {
				emit(e)
			}
			if ctx.Err() != nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(poll):
		}
		if f.renewed() {
			lines = newLines(f.file)
		}
	}
}

// renewed goes over to the beginning when the file was cut or another one has
// taken its name.
func (f *Follower) renewed() bool {
	now, err := os.Stat(f.path)
	if err != nil {
		return false // between an old file and a new one
	}
	then, err := f.file.Stat()
	if err != nil {
		return false
	}
	if os.SameFile(now, then) {
		at, err := f.file.Seek(0, io.SeekCurrent)
		if err != nil || now.Size() >= at {
			return false
		}
		_, err = f.file.Seek(0, io.SeekStart)
		return err == nil
	}
	next, err := os.Open(f.path)
	if err != nil {
		return false
	}
	_ = f.file.Close()
	f.file = next
	return true
}

// runPipe reads in a goroutine of its own: a read of a pipe cannot be called off,
// and one that is still waiting when ctx ends is left to the end of the process.
func (f *Follower) runPipe(ctx context.Context, emit func(model.WorkerEvent)) error {
	type read struct {
		event model.WorkerEvent
		err   error
	}
	reads := make(chan read)
	go func() {
		lines := newLines(f.pipe)
		for {
			text, whole, err := lines.next()
			if err == io.EOF {
				// The last line of a pipe may lack its end.
				text, whole, err = lines.rest(), !lines.over, io.EOF
			}
			var r read
			ok := false
			if len(text) > 0 || err == nil {
				r.event, ok = f.take(text, whole)
			}
			if ok {
				select {
				case reads <- r:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				select {
				case reads <- read{err: err}:
				case <-ctx.Done():
				}
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-reads:
			switch {
			case r.err == io.EOF:
				return nil
			case r.err != nil:
				return fmt.Errorf("read worker lines: %w", r.err)
			}
			emit(r.event)
		}
	}
}

// take counts a line and reads it. Whole is false for a line over the bound.
func (f *Follower) take(text []byte, whole bool) (model.WorkerEvent, bool) {
	text = bytes.TrimSpace(text)
	var (
		e   model.WorkerEvent
		err error
	)
	switch {
	case !whole:
		err = fmt.Errorf("longer than %d bytes", maxLine)
	case len(text) > 0:
		e, err = Parse(text)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts.Lines++
	switch {
	case errors.Is(err, ErrOther):
		f.counts.Other++
	case err != nil:
		f.counts.Bad++
		if f.counts.First == nil {
			f.counts.First = &Bad{Number: f.counts.Lines, Text: string(text[:min(len(text), maxText)]), Why: err.Error()}
		}
	case len(text) > 0:
		f.counts.Events++
		return e, true
	}
	return e, false
}

// lines cuts a stream into lines, and keeps a part of one until its end comes.
type lines struct {
	in   *bufio.Reader
	part []byte
	over bool // the part is over the bound; the rest of the line is thrown away
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 16<<10)} }

// next is the next line without its end; io.EOF when there is no whole one yet.
func (l *lines) next() (text []byte, whole bool, err error) {
	for {
		b, err := l.in.ReadSlice('\n')
		if room := maxLine - len(l.part); len(b) > room+1 {
			l.over = true
			b = b[:room]
		}
		l.part = append(l.part, b...)
		switch err {
		case nil:
			text, whole = l.rest(), !l.over
			l.over = false
			return bytes.TrimSuffix(text, []byte("\n")), whole, nil
		case bufio.ErrBufferFull:
		default:
			return nil, false, err
		}
	}
}

// rest is the part of a line that has no end yet; it is taken.
func (l *lines) rest() []byte {
	text := l.part
	l.part = nil
	return text
}
