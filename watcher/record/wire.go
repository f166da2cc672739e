package record

import (
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"

	"leasetop/model"
)

// version of the format that is written, and the newest that is read.
const version = 1

// magic is what the first line says.
const magic = "recording"

type header struct {
	Leasetop string `json:"leasetop"`
	V        int    `json:"v"`
}

// text is a string of raw bytes. Plain JSON would replace what is not UTF-8.
type text string

type encoded struct {
	B64 string `json:"b64"`
}

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(encoded{base64.StdEncoding.EncodeToString([]byte(t))})
}

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var e encoded
		if err := json.Unmarshal(b, &e); err != nil {
			return err
		}
		raw, err := base64.StdEncoding.DecodeString(e.B64)
		*t = text(raw)
		return err
	}
	return json.Unmarshal(b, (*string)(t))
}

// line is one line after the first.
type line struct {
	Obs     *observation  `json:"obs,omitempty"`
	Health  *model.Health `json:"health,omitempty"`
	Advance model.Instant `json:"advance,omitempty"`
}

type observation struct {
	Seq    uint64        `json:"seq"`
	Node   string        `json:"node"`
	DB     int           `json:"db"`
	Key    text          `json:"key"`
	Hints  []hint        `json:"hints,omitempty"`
	Lost   int           `json:"lost,omitempty"`
	Read   *reading      `json:"read,omitempty"`
	Source model.Source  `json:"source"`
	ToldAt model.Instant `json:"told_at"`
	Bound  time.Duration `json:"bound,omitempty"`
	Absent model.Instant `json:"absent,omitempty"`
}

// hint is written as [op, at]: there are many of them.
type hint model.Hint

func (h hint) MarshalJSON() ([]byte, error) { return json.Marshal([2]any{text(h.Op), h.At}) }

func (h *hint) UnmarshalJSON(b []byte) error {
	var op text
	if err := json.Unmarshal(b, &[]any{&op, &h.At}); err != nil {
		return err
	}
	h.Op = string(op)
	return nil
}

type reading struct {
	At       model.Instant `json:"at"`
	Type     string        `json:"type"`
	Format   string        `json:"format,omitempty"`
	Library  string        `json:"library,omitempty"`
	Deadline model.Instant `json:"deadline,omitempty"`
	Holders  []holder      `json:"holders,omitempty"`
	Expired  []holder      `json:"expired,omitempty"`
	Waiters  []text        `json:"waiters,omitzero"`
	Fence    *int64        `json:"fence,omitempty"`
	Group    text          `json:"group,omitempty"`
	Note     text          `json:"note,omitempty"`
	Size     int64         `json:"size,omitempty"`
	Cut      bool          `json:"cut,omitempty"`
	Habit    *model.Habit  `json:"habit,omitempty"`
}

type holder struct {
	Owner     text          `json:"owner"`
	Anonymous bool          `json:"anonymous,omitempty"`
	Count     int64         `json:"count,omitempty"`
	Deadline  model.Instant `json:"deadline,omitempty"`
	Mode      string        `json:"mode,omitempty"`
	Told      *told         `json:"told,omitempty"`
}

type told struct {
	Host      text          `json:"host,omitempty"`
	Process   text          `json:"process,omitempty"`
	Thread    text          `json:"thread,omitempty"`
	Acquired  model.Instant `json:"acquired,omitempty"`
	Refreshed model.Instant `json:"refreshed,omitempty"`
	Metadata  text          `json:"metadata,omitempty"`
	Shape     string        `json:"shape,omitempty"`
}

func wired(in *model.Input) line {
	l := line{Health: in.Health, Advance: in.Advance}
	if o := in.Observation; o != nil {
		w := &observation{Seq: o.Seq, Node: o.Key.Node, DB: o.Key.DB, Key: text(o.Key.Name), Lost: o.Lost,
			Source: o.Source, ToldAt: o.ToldAt, Bound: o.Bound, Absent: o.Absent}
		for _, h := range o.Hints {
			w.Hints = append(w.Hints, hint(h))
		}
		if r := o.Reading; r != nil {
			w.Read = &reading{At: r.At, Type: r.Type, Format: r.Format, Library: r.Library, Deadline: r.Deadline,
				Holders: wiredHolders(r.Holders), Expired: wiredHolders(r.Expired), Waiters: texts[string, text](r.Waiters),
				Fence: r.Fence, Group: text(r.Group), Note: text(r.Note), Size: r.Size, Cut: r.Cut, Habit: r.Habit}
		}
		l.Obs = w
	}
	return l
}

func (l *line) input() model.Input {
	in := model.Input{Health: l.Health, Advance: l.Advance}
	if w := l.Obs; w != nil {
		o := &model.Observation{Seq: w.Seq, Key: model.Key{Node: w.Node, DB: w.DB, Name: string(w.Key)}, Lost: w.Lost,
			Source: w.Source, ToldAt: w.ToldAt, Bound: w.Bound, Absent: w.Absent}
		for _, h := range w.Hints {
			o.Hints = append(o.Hints, model.Hint(h))
		}
		if r := w.Read; r != nil {
			o.Reading = &model.Reading{At: r.At, Type: r.Type, Format: r.Format, Library: r.Library, Deadline: r.Deadline,
				Holders: unwiredHolders(r.Holders), Expired: unwiredHolders(r.Expired), Waiters: texts[text, string](r.Waiters),
				Fence: r.Fence, Group: string(r.Group), Note: string(r.Note), Size: r.Size, Cut: r.Cut, Habit: r.Habit}
		}
		in.Observation = o
	}
	return in
}

// texts keeps the difference between none and not known.
func texts[A, B ~string](in []A) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i := range in {
		out[i] = B(in[i])
	}
	return out
}

func wiredHolders(in []model.Holder) []holder {
	var out []holder
	for _, h := range in {
		w := holder{Owner: text(h.Owner), Anonymous: h.Anonymous, Count: h.Count, Deadline: h.Deadline, Mode: h.Mode}
		if t := h.Told; t != nil {
			w.Told = &told{text(t.Host), text(t.Process), text(t.Thread), t.Acquired, t.Refreshed, text(t.Metadata), t.Shape}
		}
		out = append(out, w)
	}
	return out
}

func unwiredHolders(in []holder) []model.Holder {
	var out []model.Holder
	for _, w := range in {
		h := model.Holder{Owner: string(w.Owner), Anonymous: w.Anonymous, Count: w.Count, Deadline: w.Deadline, Mode: w.Mode}
		if t := w.Told; t != nil {
			h.Told = &model.Told{Host: string(t.Host), Process: string(t.Process), Thread: string(t.Thread),
				Acquired: t.Acquired, Refreshed: t.Refreshed, Metadata: string(t.Metadata), Shape: t.Shape}
		}
		out = append(out, h)
	}
	return out
}
