package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

func TestAdvice(t *testing.T) {
	status := func(code int) error { return &decode.StatusError{Status: decode.Status{Code: code}} }
	request := func(code int, err error) error {
		return &rawwatch.RequestError{Verb: "list", URL: "https://k/", Code: code, Err: err}
	}
	for _, test := range []struct {
		err  error
		want string // a part; "" is no advice
	}{
		{request(0, x509.UnknownAuthorityError{}), "certificate-authority"},
		{request(0, x509.CertificateInvalidError{Reason: x509.Expired}), "clock"},
		{request(0, &net.DNSError{Name: "k", IsNotFound: true}), "resolved"},
		{request(0, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}), "server running"},
		{request(0, &rawwatch.TimeoutError{What: "response headers", After: time.Second}), "in time"},
		{request(0, errors.New("http: server gave HTTP response to HTTPS client")), "http://"},
		{request(200, &rawwatch.BodyError{ContentType: "text/html"}), "login page"},
		{request(200, &decode.LimitError{}), "narrow"},
		{request(200, &decode.SyntaxError{}), "alters"},
		{request(400, status(400)), "field-selector"},
		{request(503, status(503)), "later"},
		{request(403, status(403)), ""},
		{&rawwatch.ListExpiredError{Err: request(410, status(410))}, ""},
		{errors.New("anything"), ""},
	} {
		got := advice(fmt.Errorf("wrapped: %w", test.err))
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%v\ngot advice %q, want %q in it", test.err, got, test.want)
		}
	}
}
