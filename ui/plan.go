package ui

// The least room that the screen needs, columns and rows.
const (
	leastWidth  = 60
	leastHeight = 15
)

// band is some rows of the screen: from top, h of them.
type band struct{ top, h int }

// plan says which rows of the screen show what. It depends on nothing but its
// arguments.
type plan struct {
	w, h   int
	head   band // title and numbers
	banner band // what is wrong now and what to do
	title  band // names of the columns, or of the page
	body   band
	strip  band // the latest changes
	hints  band
	rules  bool // lines between them
}

// planFor lays a screen out. banner is the number of rows that it wants, strip
// whether the page has one.
func planFor(w, h, banner int, strip bool) plan {
	p := plan{w: w, h: h, rules: h >= 20}
	line := 0
	if p.rules {
		line = 1
	}
	top := 0
	take := func(n, after int) band {
		b := band{top, n}
		top += n + after
		return b
	}
	p.head = take(2, 0)
	p.banner = take(banner, line)
	p.title = take(1, 0)
	below := 1 // hints
	events := 0
	if strip {
		events = stripHeight(h)
		below += events + line
	}
	p.body = take(max(1, h-top-below-line), line)
	if strip {
		p.strip = take(events, line)
	}
	p.hints = take(1, 0)
	return p
}

// stripHeight is how many of the latest changes a screen shows.
func stripHeight(h int) int {
	switch {
	case h < 18:
		return 2
	case h < 28:
		return 3
	case h < 45:
		return 5
	}
	return 8
}
