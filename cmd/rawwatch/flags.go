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
}

func (c *connection) bind(flags *pflag.FlagSet) {
	flags.StringVar(&c.Path, "kubeconfig", "", "kubeconfig `file`; - is standard input")
	flags.StringVar(&c.Context, "context", "", "`name` of the kubeconfig context")
	flags.StringVar(&c.Cluster, "cluster", "", "`name` of the kubeconfig cluster")
	flags.StringVar(&c.User, "user", "", "`name` of the kubeconfig user")
	flags.StringVarP(&c.Namespace, "namespace", "n", "", "`namespace`; otherwise the context's, otherwise default")
	flags.StringVarP(&c.Server, "server", "s", "", "`address` of the API server")
	flags.StringVar(&c.Token, "token", "", "bearer `token`; others on this machine can see it")
	flags.StringVar(&c.CertificateAuthority, "certificate-authority", "", "`file` of the CA that signed the server's certificate")
	flags.StringVar(&c.ClientCertificate, "client-certificate", "", "`file` of the client's certificate")
	flags.StringVar(&c.ClientKey, "client-key", "", "`file` of the client's key")
	flags.BoolVar(&c.Insecure, "insecure-skip-tls-verify", false, "trust any server certificate; insecure")
	flags.StringVar(&c.TLSServerName, "tls-server-name", "", "`name` that the server's certificate must have")
	flags.StringVar(&c.ImpersonateUser, "as", "", "`user` to act as")
	flags.StringArrayVar(&c.ImpersonateGroups, "as-group", nil, "`group` to act as; may be repeated")
	flags.StringVar(&c.ImpersonateUID, "as-uid", "", "`uid` to act as")
	flags.Var((*timeout)(&c.Timeout), "request-timeout", "`time` that a list or a single request may take, such as 30s; 0 is no bound")
}

// options are the flags as the kubeconfig package takes them.
func (c *connection) options(a *app) kubeconfig.Options {
	a.secrets.add(c.Token)
	o := c.Options
	o.Getenv = a.env
	return o
}

// timeout is a duration, or a bare number of seconds as kubectl has it.
type timeout time.Duration

// String implements pflag.Value.
func (t *timeout) String() string { return time.Duration(*t).String() }

// Type implements pflag.Value.
func (t *timeout) Type() string { return "time" }

// Set implements pflag.Value.
func (t *timeout) Set(s string) error {
	if seconds, err := strconv.ParseUint(s, 10, 31); err == nil {
		*t = timeout(time.Duration(seconds) * time.Second)
		return nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	*t = timeout(d)
	return err
}
