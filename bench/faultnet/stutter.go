package faultnet

import (
	"io"
	"net/http"
	"sync/atomic"
)

// Stutter sends requests twice while it is on: the first answer is thrown
// away after some bytes, as by a gateway that tried again because it did not
// like it. It is safe for concurrent use. Only requests without a body are
// repeated.
type Stutter struct {
	// Next sends the requests; set before the first.
	Next http.RoundTripper

	on       atomic.Bool
	repeated atomic.Int64
}

// Wrap sets Next and returns s; it fits rawwatch.ClientOptions.WrapTransport.
func (s *Stutter) Wrap(next http.RoundTripper) http.RoundTripper {
	s.Next = next
	return s
}

// Set turns it on or off.
func (s *Stutter) Set(on bool) { s.on.Store(on) }

// Repeated counts the requests that were sent twice.
func (s *Stutter) Repeated() int64 { return s.repeated.Load() }

// thrownAway is how much of the first answer is read, in bytes.
const thrownAway = 64

// RoundTrip implements http.RoundTripper.
func (s *Stutter) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.on.Load() || r.Body != nil {
		return s.Next.RoundTrip(r)
	}
	first, err := s.Next.RoundTrip(r.Clone(r.Context()))
	if err != nil {
		return nil, err
	}
	if !r.URL.Query().Has("watch") { // whose first bytes may be long in coming
		_, _ = io.CopyN(io.Discard, first.Body, thrownAway) // whatever it is, it is dropped
	}
	if err := first.Body.Close(); err != nil {
		return nil, err
	}
	s.repeated.Add(1)
	return s.Next.RoundTrip(r)
}
