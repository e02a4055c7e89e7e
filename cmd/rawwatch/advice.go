package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"syscall"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// advice says what to do about an error that says only what happened. It is ""
// for one that gives its own advice, and for one about which nothing useful is
// known.
func advice(err error) string {
	for _, know := range []func(error) string{trustAdvice, networkAdvice, answerAdvice} {
		if hint := know(err); hint != "" {
			return hint
		}
	}
	return ""
}

// trustAdvice is about certificates.
func trustAdvice(err error) string {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
		alert   tls.AlertError
	)
	switch {
	case errors.As(err, &unknown):
		return "the server's certificate is not signed by the CA of the kubeconfig: check certificate-authority, or that the address is the right server's"
	case errors.As(err, &host):
		return "the server's certificate is for other names: use one of them as the address, or set --tls-server-name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "a certificate has expired, or this machine's clock is wrong"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the server does not speak TLS at this address: is the port right, or should it be http://?"
	case errors.As(err, &alert):
		return "the server refused the TLS connection: check client-certificate and client-key"
	}
	return ""
}

// networkAdvice is about servers that do not answer.
func networkAdvice(err error) string {
	var (
		dns     *net.DNSError
		timeout *rawwatch.TimeoutError
		network net.Error
	)
	switch {
	case errors.As(err, &dns):
		return "the name of the server cannot be resolved: check the address in the kubeconfig (rawwatch config view), and DNS"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: is the server running, and is the address right? See: rawwatch config view"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the server cannot be reached: check the network, proxies, and the address (rawwatch config view)"
	case errors.As(err, &timeout), errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "the server did not answer in time: check the network, proxies, and the address (rawwatch config view)"
	}
	return ""
}

// answerAdvice is about answers that cannot be used.
func answerAdvice(err error) string {
	var (
		foreign *rawwatch.BodyError
		limit   *decode.LimitError
		syntax  *decode.SyntaxError
		expired *rawwatch.ListExpiredError
		status  *decode.StatusError
		request *rawwatch.RequestError
	)
	answered := errors.As(err, &request)
	switch {
	case errors.As(err, &expired):
		return "" // says it itself
	case errors.As(err, &limit):
		return "an object larger than this is refused to protect memory: narrow the query with -n, -l or --field-selector"
	case errors.As(err, &foreign) && answered && request.Code < 400:
		return "a proxy, a login page or another service answered: check the address (rawwatch config view)"
	case errors.As(err, &syntax):
		return "the answer is damaged: is something between here and the API server that alters it?"
	case errors.As(err, &status) && status.Status.Code == 400:
		return "the server does not understand the request: check -l and --field-selector"
	case answered && (request.Code == 429 || request.Code >= 500):
		return "the server is in trouble or overloaded: try again later"
	}
	return ""
}
