package main

import (
	"reflect"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

func TestConnectionFlags(t *testing.T) {
	var c connection
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.bind(flags)
	err := flags.Parse([]string{
		"--kubeconfig", "k", "--context", "c", "--cluster", "cl", "--user", "u", "-n", "ns", "-s", "https://k:1",
		"--token", "t", "--certificate-authority", "ca", "--client-certificate", "cert", "--client-key", "key",
		"--insecure-skip-tls-verify", "--tls-server-name", "name", "--as", "boss", "--as-group", "a,b", "--as-group", "c",
		"--as-uid", "7", "--request-timeout", "30",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := kubeconfig.Options{
		Path: "k", Context: "c", Cluster: "cl", User: "u", Namespace: "ns", Server: "https://k:1", Token: "t",
		CertificateAuthority: "ca", ClientCertificate: "cert", ClientKey: "key", Insecure: true, TLSServerName: "name",
		ImpersonateUser: "boss", ImpersonateGroups: []string{"a,b", "c"}, ImpersonateUID: "7", Timeout: 30 * time.Second,
	}
	if !reflect.DeepEqual(c.Options, want) {
		t.Errorf("got  %+v\nwant %+v", c.Options, want)
	}
}

func TestTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "0s": 0, "30": 30 * time.Second, "1m30s": 90 * time.Second} {
		var got timeout
		if err := got.Set(text); err != nil || time.Duration(got) != want {
			t.Errorf("%q is %v (%v), want %v", text, time.Duration(got), err, want)
		}
	}
	for _, text := range []string{"-1s", "-5", "soon", ""} {
		var got timeout
		if got.Set(text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
