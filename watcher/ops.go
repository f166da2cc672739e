package watcher

import "leasetop/model"

// onlyDeadlines reports whether events set or took deadlines and no more.
func onlyDeadlines(hints []model.Hint) bool {
	for _, h := range hints {
		if h.Op != "expire" && h.Op != "persist" {
			return false
		}
	}
	return true
}

// isEnd reports whether an event says that its key is gone from this name.
func isEnd(op string) bool {
	switch op {
	case "del", "expired", "evicted", "rename_from", "move_from":
		return true
	}
	return false
}
