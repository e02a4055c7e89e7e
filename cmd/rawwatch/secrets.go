package main

import (
	"strings"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// secrets are strings that must not be seen. No error of the library holds a
// credential; this is the net below it, for what a server or a proxy echoes in
// the part of a foreign answer that an error quotes.
type secrets []string

// shortestSecret keeps the net from tearing messages apart: a shorter word is
// no secret, and may be part of any other.
const shortestSecret = 6

func (s *secrets) add(values ...string) {
	for _, v := range values {
		if len(v) >= shortestSecret {
			*s = append(*s, v)
		}
	}
}

func (s *secrets) addConfig(c *kubeconfig.Config) { s.add(c.BearerToken, c.Password) }

func (s secrets) hide(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "REDACTED")
	}
	return text
}
