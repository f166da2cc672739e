package ui

import (
	"strconv"
	"strings"

	"leasetop/model"
	"leasetop/ui/printable"
)

// badge is how an owner looks: one mark and one colour, everywhere and in every
// run, because both come from the token alone.
type badge struct {
	mark int   // index of glyphs.owners
	ink  style // a role
}

func badgeOf(token string) badge {
	// FNV-1a, then mixed so that tokens that differ in their last letter only
	// differ in both mark and ink.
	h := uint64(14695981039346656037)
	for i := range len(token) {
		h = (h ^ uint64(token[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	return badge{mark: int(h % marks), ink: owner0 + style(h>>16%uint64(inks))}
}

// names spells owners for the screen.
type names struct {
	text  printable.Printer
	g     *glyphs
	alias func(token string) string
}

// owner is the mark, the style and the name of an owner in at most cols columns
// for the name.
func (n *names) owner(o model.Owner, cols int) (mark string, ink style, name string) {
	if !o.Known {
		return n.g.none, dim, n.text.Cut("not read", cols)
	}
	b := badgeOf(o.Token)
	if n.alias != nil {
		if a := n.alias(o.Token); a != "" {
			return n.g.owners[b.mark], b.ink, n.text.Cut(a, cols)
		}
	}
	if word := invisible(o.Token); word != "" {
		return n.g.owners[b.mark], b.ink, n.text.Cut(word, cols)
	}
	return n.g.owners[b.mark], b.ink, n.token(o.Token, cols)
}

// token shortens long tokens to their ends, as people compare them.
func (n *names) token(token string, cols int) string {
	if len(token) >= 20 && cols > shortToken {
		cols = shortToken
	}
	return n.text.Middle(token, cols)
}

// shortToken is the width of a shortened token: four, dots, four.
const shortToken = 9

// ownerName is the room for an owner's name beside a picture or in a line.
const ownerName = 12

// key is the name of a key in at most cols columns.
func (n *names) key(k model.Key, cols int) string {
	if word := invisible(k.Name); word != "" {
		return n.text.Cut(word, cols)
	}
	return n.text.Middle(k.Name, cols)
}

// invisible is a word for a name that would show nothing, else "".
func invisible(name string) string {
	switch {
	case name == "":
		return "(empty)"
	case strings.Trim(name, " ") == "":
		return "(" + plural(len(name), "blank", "blanks") + ")"
	}
	return ""
}

// holder is what follows an owner's name: the re-entry count and the mode.
func (n *names) holder(t *model.Tenure) string {
	s := ""
	if t.Count > 1 {
		s = " " + n.g.times + strconv.Itoa(int(t.Count))
	}
	switch t.Mode {
	case "read":
		s += " r"
	case "write":
		s += " w"
	}
	return s
}
