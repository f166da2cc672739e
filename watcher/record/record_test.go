package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"leasetop/model"
	"leasetop/watcher/record"
)

const epoch = model.Instant(1_764_677_070_801_204)

var raw = rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) })

func anyInput(t *rapid.T, i int) model.Input {
	now := epoch.Add(time.Duration(i) * time.Second)
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return model.Input{Advance: now}
	case 1:
		return model.Input{Health: &model.Health{Node: "n", At: now, State: model.StateSynced, Detail: "a <b> & c"}}
	}
	o := &model.Observation{Seq: uint64(i + 1), Key: model.Key{Node: "n", DB: 3, Name: raw.Draw(t, "key")},
		Source: model.SourceEvent, ToldAt: now, Bound: time.Millisecond}
	for range rapid.IntRange(0, 3).Draw(t, "hints") {
		o.Hints = append(o.Hints, model.Hint{Op: rapid.SampledFrom([]string{"set", "expire", "del"}).Draw(t, "op"), At: now})
	}
	if rapid.Bool().Draw(t, "read") {
		o.Reading = anyReading(t, now)
	}
	return model.Input{Observation: o}
}

func anyReading(t *rapid.T, now model.Instant) *model.Reading {
	r := &model.Reading{At: now, Type: "string", Format: "string", Note: raw.Draw(t, "note")}
	h := model.Holder{Owner: raw.Draw(t, "owner"), Deadline: now.Add(time.Minute)}
	if rapid.Bool().Draw(t, "told") {
		h.Told = &model.Told{Host: raw.Draw(t, "host"), Shape: "host:pid"}
	}
	if rapid.Bool().Draw(t, "held") {
		r.Holders = []model.Holder{h}
	}
	if rapid.Bool().Draw(t, "waiting") {
		r.Waiters = []string{raw.Draw(t, "waiter")}
		fence := int64(rapid.Int().Draw(t, "fence"))
		r.Fence = &fence
	}
	return r
}

func write(t interface{ Fatal(...any) }, inputs []model.Input) []byte {
	var b bytes.Buffer
	rec, err := record.NewRecorder(&b)
	if err != nil {
		t.Fatal(err)
	}
	rec.Add(inputs...)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(file []byte) ([]model.Input, *record.Reader, error) {
	r, err := record.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, nil, err
	}
	var inputs []model.Input
	for {
		in, err := r.Read()
		if errors.Is(err, io.EOF) {
			return inputs, r, nil
		}
		if err != nil {
			return inputs, r, err
		}
		inputs = append(inputs, in)
	}
}

func TestARecordingIsItsInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var inputs []model.Input
		for i := range rapid.IntRange(0, 30).Draw(t, "inputs") {
			inputs = append(inputs, anyInput(t, i))
		}
		got, _, err := read(write(t, inputs))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(inputs, got); d != "" {
			t.Fatalf("recorded and read again it differs:\n%s", d)
		}
		a, b := model.NewLedger(model.Limits{}), model.NewLedger(model.Limits{})
		if d := cmp.Diff(a.Apply(inputs...), b.Apply(got...)); d != "" {
			t.Fatalf("the replay tells another story:\n%s", d)
		}
	})
}

func TestACutLastLineIsPassedOver(t *testing.T) {
	inputs := []model.Input{{Advance: epoch}, {Advance: epoch + 1}, {Advance: epoch + 2}}
	file := write(t, inputs)
	whole, _, err := read(file)
	if err != nil || len(whole) != 3 {
		t.Fatal(whole, err)
	}
	first := bytes.IndexByte(file, '\n') + 1
	for n := first; n < len(file); n++ {
		got, r, err := read(file[:n])
		if err != nil {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
		if len(got) < 3 && len(got) > 0 && file[n-1] != '\n' && file[n-1] != '}' && !r.Cut() {
			t.Fatalf("cut after %d bytes, and nothing says so", n)
		}
	}
}

func TestForeignAndDamagedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want error
	}{
		"empty":   {"", record.ErrForeign},
		"text":    {"hello\nworld\n", record.ErrForeign},
		"json":    {`{"kind":"transition","seq":1}` + "\n", record.ErrForeign},
		"binary":  {"\x1f\x8b\x08\x00\x00", record.ErrForeign},
		"newer":   {`{"leasetop":"recording","v":99}` + "\n", record.ErrVersion},
		"damaged": {`{"leasetop":"recording","v":1}` + "\n{broken\n{\"advance\":1}\n", record.ErrBroken},
		"endless": {strings.Repeat("x", 9<<20), record.ErrForeign},
	} {
		if _, _, err := read([]byte(c.file)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	_, _, err := read([]byte(`{"leasetop":"recording","v":1}` + "\n{broken\n{\"advance\":1}\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("the damaged line is not named: %v", err)
	}
	// What a later version adds is passed over.
	got, _, err := read([]byte(`{"leasetop":"recording","v":1}` + "\n" + `{"later":1}` + "\n" + `{"advance":7}` + "\n"))
	if err != nil || len(got) != 1 {
		t.Errorf("an unknown line: %v, %v", got, err)
	}
}

type slowDisk struct{ gate chan struct{} }

func (d slowDisk) Write(b []byte) (int, error) {
	<-d.gate
	return len(b), nil
}

func TestADiskThatStandsStillEndsTheRecording(t *testing.T) {
	d := slowDisk{make(chan struct{}, 1)}
	d.gate <- struct{}{} // the first line
	rec, err := record.NewRecorder(d)
	if err != nil {
		t.Fatal(err)
	}
	// One full queue may be on its way to the disk, and a second one waits.
	for range 6 {
		rec.Add(make([]model.Input, 1<<15)...)
	}
	if !errors.Is(rec.Err(), record.ErrBehind) {
		t.Errorf("more waits than may: %v", rec.Err())
	}
	close(d.gate)
	if err := rec.Close(); !errors.Is(err, record.ErrBehind) {
		t.Error(err)
	}
}

func TestReplayKeepsItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inputs []model.Input
		for i := range 4 {
			inputs = append(inputs, model.Input{Advance: epoch.Add(time.Duration(i) * 10 * time.Second)})
		}
		p, err := record.NewReplay(bytes.NewReader(write(t, inputs)), "f", 2)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		var at []string
		done := make(chan error, 1)
		go func() {
			done <- p.Run(ctx, func(b []model.Input) {
				at = append(at, fmt.Sprint(time.Since(began), p.Now().Sub(epoch)))
			})
		}()
		time.Sleep(time.Minute)
		synctest.Wait()
		if d := cmp.Diff([]string{"0s 0s", "5s 10s", "10s 20s", "15s 30s"}, at); d != "" {
			t.Error(d)
		}
		if !p.Ended() || p.Now() != epoch.Add(30*time.Second) {
			t.Errorf("after its end the clock says %v", p.Now())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
