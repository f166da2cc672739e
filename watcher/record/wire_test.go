package record

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leasetop/model"
)

// fill sets every field below v to something that is not zero.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.String:
		v.SetString("\xffa")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(0.25)
	default:
		t.Fatalf("a %s is not filled", v.Type())
	}
}

// TestEveryFieldIsWritten: a field that an observation gains must not be
// forgotten here, or a replay would tell another story.
func TestEveryFieldIsWritten(t *testing.T) {
	in := model.Input{Observation: &model.Observation{}}
	fill(t, reflect.ValueOf(in.Observation).Elem())
	// Words of ours are valid text; only what comes from Redis is raw.
	r := in.Observation.Reading
	in.Observation.Key.Node, r.Type, r.Format, r.Library = "n", "string", "f", "l"
	for _, h := range []*model.Holder{&r.Holders[0], &r.Expired[0]} {
		h.Mode, h.Told.Shape = "read", "s"
	}
	written := wired(&in)
	b, err := json.Marshal(&written)
	if err != nil {
		t.Fatal(err)
	}
	var read line
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, read.input()); d != "" {
		t.Errorf("(-in +out)\n%s", d)
	}
}
