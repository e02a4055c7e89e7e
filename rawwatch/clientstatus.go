package rawwatch

import "time"

// ClientStatus is how a [Client] is at one moment. What its watches do, each of
// their reflectors tells; see [Reflector.Status].
type ClientStatus struct {
	// Endpoint is the server that requests go to now, without user info.
	Endpoint string
	// Breaker is where the circuit breaker stands, BreakerSince from when on;
	// zero when it has been closed all the time.
	Breaker      BreakerState
	BreakerSince time.Time
	// LastAnswer is when a server last answered a request, with an error of its
	// own included: until then it was reached. Zero when none ever did. Streams
	// that are open may have brought something since.
	LastAnswer time.Time
	// LastFailure is what the breaker counted last, at LastFailureTime, also
	// after it has healed. Nil and zero when it never did, or when there is no
	// breaker.
	LastFailure     error
	LastFailureTime time.Time
	// Requests counts those that were begun, those that the breaker then
	// stopped included. OpenStreams are the watches that are open now.
	Requests    int64
	OpenStreams int64
	// Closed is set by [Client.Close].
	Closed bool
}

// Status tells how the client is. It is safe for concurrent use.
func (c *Client) Status() ClientStatus {
	base, _ := c.endpoints.base()
	s := ClientStatus{
		Endpoint: base.Redacted(), Requests: c.requests.Load(), OpenStreams: c.openStreams.Load(), Closed: c.closed.Load(),
	}
	if at := c.lastAnswer.Load(); at != 0 {
		s.LastAnswer = time.Unix(0, at)
	}
	c.breaker.report(&s)
	return s
}

// heardFrom notes that a request has ended as err says.
func (c *Client) heardFrom(err error) {
	if ofServer(err) == reached {
		c.lastAnswer.Store(time.Now().UnixNano())
	}
}
