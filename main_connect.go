package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"leasetop/keyspace"
	"leasetop/watcher"
)

// connection adds the flags that say which server, in redis-cli's words.
func (f *flags) connection(root *cobra.Command) {
	p := root.PersistentFlags()
	p.StringVarP(&f.conn.Host, "host", "h", "", "server host (127.0.0.1)")
	p.IntVarP(&f.conn.Port, "port", "p", 0, "server port (6379)")
	p.StringVarP(&f.conn.Socket, "socket", "s", "", "server unix socket, instead of host and port")
	p.StringVarP(&f.conn.Password, "pass", "a", "", "password; better in REDISCLI_AUTH, where the other users of this machine cannot see it")
	p.StringVar(&f.conn.User, "user", "", "user name (ACL)")
	p.IntVarP(&f.db, "db", "n", 0, "database number (0)")
	p.StringVarP(&f.conn.URL, "url", "u", "", "URL: redis://, rediss:// or unix://; also from REDIS_URL")
	p.BoolVarP(&f.cluster, "cluster", "c", false, "the server is a cluster (not watched yet: says so)")
	p.BoolVar(&f.conn.TLS, "tls", false, "connect with TLS")
	p.StringVar(&f.conn.CACert, "cacert", "", "file of CA certificates")
	p.StringVar(&f.conn.Cert, "cert", "", "file of the client's certificate")
	p.StringVar(&f.conn.Key, "key", "", "file of the client's private key")
	p.StringVar(&f.conn.SNI, "sni", "", "server name for TLS")
	p.BoolVar(&f.conn.Insecure, "insecure", false, "do not verify the server's certificate")
	p.StringSliceVar(&f.sentinels, "sentinel", nil, "sentinels: HOST:PORT,... (not asked yet: says so)")
	p.StringVar(&f.sentinelMaster, "sentinel-master", "", "name of the master that the sentinels watch")
}

// connect resolves flags and environment into the connection part of a
// watcher.Config. A flag beats the environment: REDIS_URL is heeded only where
// no flag says where the server is, so that its password never goes to another
// server, and REDISCLI_AUTH only where no password came with the words before.
func (f *flags) connect(cmd *cobra.Command) (watcher.Config, error) {
	if f.cluster {
		return watcher.Config{}, &watcher.Error{Doing: "watch a cluster", Err: watcher.ErrCluster, Hint: "for now leasetop watches single servers and primaries with replicas"}
	}
	if len(f.sentinels) > 0 || f.sentinelMaster != "" {
		return watcher.Config{}, &watcher.Error{Doing: "ask the sentinels", Err: watcher.ErrSentinel, Hint: "give the primary itself with -h and -p: SENTINEL GET-MASTER-ADDR-BY-NAME names it"}
	}
	conn := f.conn
	if cmd.Flags().Changed("db") {
		conn.DB = &f.db
	}
	if conn.URL == "" && conn.Host == "" && conn.Port == 0 && conn.Socket == "" {
		conn.URL = os.Getenv("REDIS_URL")
	}
	cfg, err := conn.Resolve()
	if err != nil {
		return cfg, err
	}
	if cfg.Password == "" {
		cfg.Password = os.Getenv("REDISCLI_AUTH")
	}
	return cfg, nil
}

// config resolves everything that a watcher needs.
func (f *flags) config(cmd *cobra.Command, p keyspace.Patterns) (watcher.Config, error) {
	cfg, err := f.connect(cmd)
	if err != nil {
		return cfg, err
	}
	cfg.Patterns = p
	cfg.Interval, cfg.Budget, cfg.NoTouch = f.interval, f.budget, f.noTouch
	cfg.EnableNotifications = f.enableNotifications
	if cmd.Flags().Changed("interval") && f.interval <= 0 {
		return cfg, usage(fmt.Errorf("--interval %v is no time between sweeps", f.interval), "a duration such as 500ms, 2s or 1m")
	}
	if f.budget < 0 {
		return cfg, usage(fmt.Errorf("--budget %d is no number of commands a second", f.budget), "leave it out for the default")
	}
	if cfg.Notify, err = mode("--notify", f.notify); err != nil {
		return cfg, err
	}
	if cfg.Tracking, err = mode("--tracking", f.tracking); err != nil {
		return cfg, err
	}
	if f.enableNotifications && cfg.Notify == watcher.Off {
		return cfg, usage(errors.New("--notify off and --enable-notifications contradict each other"), "leave one of them out")
	}
	for _, word := range f.formats {
		force, err := keyspace.ParseForce(word)
		if err != nil {
			return cfg, usage(err, "leasetop formats lists the formats")
		}
		cfg.Forces = append(cfg.Forces, force)
	}
	cfg.Mask, err = f.masker()
	return cfg, err
}

func mode(flag, word string) (watcher.Mode, error) {
	m, ok := watcher.ParseMode(word)
	if !ok {
		return "", usage(fmt.Errorf("%s %s is not known", flag, word), "auto, require or off")
	}
	return m, nil
}
