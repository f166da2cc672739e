package ui

import "leasetop/model"

// changeLegend explains the sign of each kind of change.
func (m *Model) changeLegend() []textLine {
	var out []textLine
	for _, c := range []struct {
		change model.Change
		text   string
	}{
		{model.Acquired, "acquired: a new tenure on a key that was free"},
		{model.Renewed, "renewed: same owner, later deadline"},
		{model.Shortened, "shortened: same owner, earlier deadline"},
		{model.Recount, "re-entered: same owner, another count"},
		{model.ExpiryAdded, "it had no expiry and got one"},
		{model.Released, "released: deleted before its deadline, by whomever"},
		{model.Overwritten, "overwritten or replaced: another owner is there"},
		{model.Evicted, "evicted or flushed: removed by the server"},
		{model.Renamed, "renamed: the key moved"},
		{model.Lost, "lost: gone while it could not be seen"},
		{model.Found, "found: held already when it was first seen"},
	} {
		out = append(out, textLine{term: m.g.changes[c.change], text: c.text, ink: changeStyle(c.change)})
	}
	return out
}
