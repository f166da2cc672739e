//go:build unix && !linux

package server

import "syscall"

// childAttr puts the child in a group of its own, so that ^C in a terminal does
// not reach it before its owner has cleaned up.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
