package ui

import "leasetop/model"

// selection names the line that is selected: a key, or a group.
type selection struct {
	key   model.Key
	group string
	on    bool
}

func selectionOf(it item) selection {
	if it.group != nil {
		return selection{group: it.group.prefix, on: true}
	}
	return selection{key: it.row.key, on: true}
}

// cursor is the selected line of a list and the part of it that is in view. It
// holds on to a key: sorting and insertion move the line, not the selection.
type cursor struct {
	sel   selection
	at    int  // where the selection was last, to fall back to when it is gone
	top   int  // the first line in view
	moved bool // somebody used it: it holds on to its key, and stays in view
}

// settle brings the cursor up to date with a list, of which height lines are in
// view. Until somebody uses the cursor it rests on the first line, whatever
// that is.
func (c *cursor) settle(b *book, height int) {
	n := b.len()
	if n == 0 {
		c.at, c.top, c.sel.on = 0, 0, false
		return
	}
	i := -1
	if c.sel.on && c.moved {
		i = b.find(c.sel)
	}
	if i >= 0 {
		c.top += i - c.at // the selected line stays where it is on the screen
	} else {
		i = min(max(c.at, 0), n-1)
		c.sel = selectionOf(b.at(i))
	}
	c.at = i
	c.reveal(n, height)
}

// reveal keeps the view inside of the list and, once it was moved, the selected
// line inside of the view.
func (c *cursor) reveal(n, height int) {
	if c.moved {
		c.top = min(max(c.top, c.at-height+1), c.at)
	}
	c.top = max(0, min(c.top, n-height))
}

// move selects the line that is delta lines away.
func (c *cursor) move(b *book, delta, height int) {
	n := b.len()
	if n == 0 {
		return
	}
	c.moved = true
	c.at = min(max(c.at+delta, 0), n-1)
	c.sel = selectionOf(b.at(c.at))
	c.reveal(n, height)
}

// scroll moves the view; the selection follows when it would leave it.
func (c *cursor) scroll(b *book, delta, height int) {
	n := b.len()
	if n == 0 {
		return
	}
	c.top = max(0, min(c.top+delta, n-height))
	if at := min(max(c.at, c.top), c.top+height-1); at != c.at {
		c.moved = true
		c.at = min(at, n-1)
		c.sel = selectionOf(b.at(c.at))
	}
}
