package rawwatch

import "time"

// exchangeContext is the context that an exchange's request is sent in: its own,
// with what those below look for in it. HTTP/2 keeps it for as long as the stream
// lives, so it is nothing but the exchange.
type exchangeContext struct{ *exchange }

// Deadline implements context.Context.
func (c exchangeContext) Deadline() (time.Time, bool) { return c.ctx.Deadline() }

// Done implements context.Context.
func (c exchangeContext) Done() <-chan struct{} { return c.ctx.Done() }

// Err implements context.Context.
func (c exchangeContext) Err() error { return c.ctx.Err() }

// headerWait is the key under which the [authorizer] finds the exchange: until
// there is a credential, nobody waits for the server.
type headerWait struct{}

// Value implements context.Context.
func (c exchangeContext) Value(key any) any {
	if key == any(headerWait{}) {
		return c.exchange
	}
	if c.gate != nil {
		if value := c.gate.value(key); value != nil {
			return value
		}
	}
	return c.ctx.Value(key)
}
