package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"leasetop/model"
)

// Errors of reading a recording.
var (
	ErrForeign = errors.New("record: this is no recording of leasetop")
	ErrVersion = errors.New("record: the recording is of a newer version")
	ErrBroken  = errors.New("record: the recording is damaged")
)

// maxLine bounds a line of a recording, in bytes: an observation holds at most
// 64 holders of 4 KiB.
const maxLine = 8 << 20

// Reader reads the inputs of a recording one after another.
type Reader struct {
	in   *bufio.Reader
	line int
	cut  bool
}

// NewReader reads the first line. It may return ErrForeign, ErrVersion or an
// error of r.
func NewReader(r io.Reader) (*Reader, error) {
	rd := &Reader{in: bufio.NewReaderSize(r, 1<<16)}
	b, err := rd.next()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, ErrBroken) {
		return nil, err
	}
	var h header
	if json.Unmarshal(b, &h) != nil || h.Leasetop != magic || h.V < 1 {
		return nil, ErrForeign
	}
	if h.V > version {
		return nil, fmt.Errorf("%w: %d, this program reads up to %d", ErrVersion, h.V, version)
	}
	return rd, nil
}

// next reads one line without its end. io.EOF may come with the last, cut one.
func (r *Reader) next() ([]byte, error) {
	var b []byte
	r.line++
	for {
		part, err := r.in.ReadSlice('\n')
		b = append(b, part...)
		switch {
		case len(b) > maxLine:
			return nil, fmt.Errorf("%w: line %d is longer than %d bytes", ErrBroken, r.line, maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return b, io.EOF
		case err != nil:
			return nil, fmt.Errorf("record: read line %d: %w", r.line, err)
		}
		return bytes.TrimRight(b, "\r\n"), nil
	}
}

// Read is the next input; io.EOF at the end. A last line that was cut off is
// passed over. It may return ErrBroken with the number of the line.
func (r *Reader) Read() (model.Input, error) {
	b, err := r.next()
	last := errors.Is(err, io.EOF)
	if err != nil && !last {
		return model.Input{}, err
	}
	if last && len(b) == 0 {
		return model.Input{}, io.EOF
	}
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		if last {
			r.cut = true
			return model.Input{}, io.EOF
		}
		return model.Input{}, fmt.Errorf("%w: line %d: %w", ErrBroken, r.line, err)
	}
	if l.Obs == nil && l.Health == nil && l.Advance == 0 {
		return r.Read() // a kind of line that a later program may add
	}
	return l.input(), nil
}

// Cut reports whether the last line was cut off and passed over.
func (r *Reader) Cut() bool { return r.cut }
