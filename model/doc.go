// Package model: being written.
package model
