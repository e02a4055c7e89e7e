package main

import (
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// connection is where and as whom: kubectl's global flags.
type connection struct {
	kubeconfig.Options
	timeout timeout
}

func (c *connection) bind(flags *pflag.FlagSet) {
	flags.StringVar(&c.Path, "kubeconfig", "", "kubeconfig `file`; - is standard input")
	flags.StringVar(&c.Context, "context", "", "`name` of the kubeconfig context")
	flags.StringVar(&c.Cluster, "cluster", "", "`name` of the kubeconfig cluster")
	flags.StringVar(&c.User, "user", "", "`name` of the kubeconfig user")
	flags.StringVarP(&c.Namespace, "namespace", "n", "", "`namespace`; otherwise the context's, otherwise default")
	flags.StringVarP(&c.Server, "server", "s", "", "`address` of the API server")
	flags.StringVar(&c.Token, "token", "", "bearer `token`; others on this machine can see it")
	flags.Var(&c.timeout, "request-timeout", "`time` that a list or a single request may take, such as 30s; 0 is no bound")
}

// options are the flags as the kubeconfig package takes them.
func (c *connection) options(a *app) (kubeconfig.Options, error) {
	a.secrets.add(c.Token)
	o := c.Options
	o.Getenv = a.env
	return o, nil
}

// timeout is a duration, or a bare number of seconds as kubectl has it.
type timeout struct{ d time.Duration }

// String implements pflag.Value.
func (t *timeout) String() string { return t.d.String() }

// Type implements pflag.Value.
func (t *timeout) Type() string { return "time" }

// Set implements pflag.Value.
func (t *timeout) Set(s string) error {
	if seconds, err := strconv.ParseUint(s, 10, 31); err == nil {
		t.d = time.Duration(seconds) * time.Second
		return nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	t.d = d
	return err
}
