package ui

import "time"

// barStep is the shortest time in which a bar moves: finer steps cost more
// bytes than they tell: all that lies between the number and the tip of the bar
// is written again when both change.
const barStep = 500 * time.Millisecond

// bar draws the share of a granted time that is left, in eighths of a column.
func (p *painter) bar(left, granted time.Duration, width int, ink style) {
	if width <= 0 {
		return
	}
	eighths := 0
	if granted > 0 && left > 0 {
		left = min(left, granted)
		if step := min(barStep, granted/8); step > 0 {
			left = (left + step - 1) / step * step // what is left is never drawn as nothing
		}
		eighths = min(width*8, int(int64(left)*int64(width)*8/int64(granted)))
		eighths = max(eighths, 1)
	}
	end := p.col + width
	for range eighths / 8 {
		p.put(ink, p.g.full)
	}
	shade := p.theme.shades()
	if part := eighths % 8; part > 0 {
		p.put(pick(shade, ink|track, ink), p.g.eighths[part])
	}
	for p.col < end && p.left() > 0 {
		if shade {
			p.put(track, " ")
		} else {
			p.put(rule, p.g.empty)
		}
	}
}

// barInk warns by colour and, as colour alone says nothing, only repeats what
// the number beside it says.
func barInk(left, granted time.Duration) style {
	switch {
	case left <= granted/10:
		return barOut
	case left <= granted/4:
		return barLow
	}
	return barFull
}
