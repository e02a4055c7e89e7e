package rawwatch

// ClientStatus is how a [Client] is at one moment. What its watches do, each of
// their reflectors tells; see [Reflector.Status].
type ClientStatus struct {
	// Endpoint is the server that requests go to now, without user info.
	Endpoint string
	// Breaker is where the circuit breaker stands, LastFailure what it counted
	// last; nil when it never did.
	Breaker     BreakerState
	LastFailure error
	// Requests counts those that were begun; OpenStreams are the watches that
	// are open now.
	Requests    int64
	OpenStreams int64
	// Closed is set by [Client.Close].
	Closed bool
}

// Status tells how the client is. It is safe for concurrent use.
func (c *Client) Status() ClientStatus {
	base, _ := c.endpoints.base()
	return ClientStatus{
		Endpoint: base.Redacted(), Breaker: c.breaker.state(), LastFailure: c.breaker.lastFailure(),
		Requests: c.requests.Load(), OpenStreams: c.openStreams.Load(), Closed: c.closed.Load(),
	}
}
