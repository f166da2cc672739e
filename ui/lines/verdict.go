package lines

import (
	"fmt"
	"strings"
	"time"
)

// verdict appends a line for the scenario, one for its times and one for each
// assertion.
func (t *text) verdict(b []byte, v *Verdict) []byte {
	b = fmt.Appendf(b, "%s %s: %d accepted, %d duplicate, %d rejected\n", t.shown(v.Scenario), went(v), v.Accepted, v.Duplicate, v.Rejected)
	if times := verdictTimes(v); times != "" {
		b = fmt.Appendf(b, "  %s\n", times)
	}
	for _, a := range v.Assertions {
		sign, word := t.judged(a)
		b = fmt.Appendf(b, "  %s %s %s\n", sign, t.shown(a.Name), word)
	}
	return b
}

func went(v *Verdict) string {
	if v.AsExpected {
		return "went as its lesson says"
	}
	return "DID NOT go as its lesson says"
}

// judged is an assertion's sign and words.
func (t *text) judged(a Assertion) (sign, words string) {
	switch {
	case !a.Known:
		return "?", "was not seen"
	case a.Held:
		return t.glyph("✓", "+"), "held"
	}
	return t.glyph("✗", "-"), "did not hold"
}

func verdictTimes(v *Verdict) string {
	var parts []string
	for _, x := range []struct {
		ms   *int64
		says string
	}{
		{v.RanPastLeaseMs, "a worker went on for %s after its lease"},
		{v.OverlapMs, "both worked at once for %s"},
		{v.TakeoverMs, "taken over after %s"},
	} {
		if x.ms != nil {
			parts = append(parts, fmt.Sprintf(x.says, span(time.Duration(*x.ms)*time.Millisecond)))
		}
	}
	return strings.Join(parts, ", ")
}

// summary appends a table of several verdicts.
func (t *text) summary(b []byte, verdicts []Verdict) []byte {
	width := len("SCENARIO")
	for i := range verdicts {
		width = max(width, len(verdicts[i].Scenario))
	}
	b = fmt.Appendf(b, "\n%s  LESSON  ACCEPTED  DUPLICATE  REJECTED  WHAT HELD AND WHAT DID NOT\n", pad("SCENARIO", width))
	for i := range verdicts {
		v := &verdicts[i]
		lesson := "shown"
		if !v.AsExpected {
			lesson = "FAILED"
		}
		var judged []string
		for _, a := range v.Assertions {
			sign, _ := t.judged(a)
			judged = append(judged, sign+" "+t.shown(a.Name))
		}
		b = fmt.Appendf(b, "%s  %-6s  %8d  %9d  %8d  %s\n", pad(t.shown(v.Scenario), width), lesson, v.Accepted, v.Duplicate, v.Rejected, strings.Join(judged, "  "))
	}
	return b
}
