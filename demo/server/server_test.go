package server_test

import (
	"context"
	"net"
	"testing"

	"leasetop/demo/server"
)

func TestLifeOfAServer(t *testing.T) {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Options{Socket: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	dial := func() error {
		c, err := net.Dial("tcp", s.Addr())
		if err == nil {
			_ = c.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Fatalf("a started server does not listen: %v", err)
	}
	if c, err := net.Dial("unix", s.Socket()); err != nil {
		t.Fatalf("no unix socket: %v", err)
	} else {
		_ = c.Close()
	}
	s.Kill()
	if err := dial(); err == nil {
		t.Fatal("a killed server still listens")
	}
	if err := s.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	if err := dial(); err != nil {
		t.Fatalf("a restarted server does not listen: %v", err)
	}
	s.Stop()
	if err := dial(); err == nil {
		t.Fatal("a stopped server still listens")
	}
}

func TestStartTellsWhyNot(t *testing.T) {
	_, err := server.Start(context.Background(), server.Options{Args: []string{"--no-such-setting", "1"}})
	if err == nil {
		t.Fatal("a server with an unknown setting started")
	}
}
