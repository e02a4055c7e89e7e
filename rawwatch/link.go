package rawwatch

import "time"

// Link is what lies between the client and its server. It decides what is
// asked for compressed, and how often a quiet connection is pinged.
type Link uint8

const (
	// LinkAverage asks for lists and initial streams compressed, and pings a
	// quiet connection after DefaultPingInterval.
	LinkAverage Link = iota
	// LinkMetered is a link whose bytes are paid for, such as a mobile network:
	// compressed as LinkAverage, but a quiet connection is pinged after
	// MeteredPingInterval only, which is still below what NATs commonly forget
	// a connection after.
	LinkMetered
	// LinkLAN is a link on which bytes cost less than unpacking them: nothing
	// is asked for compressed.
	LinkLAN
)

// MeteredPingInterval and MeteredPingTimeout stand in the place of
// DefaultPingInterval and DefaultPingTimeout for [LinkMetered]: a connection
// whose packets vanish is noticed within the sum of both.
const (
	MeteredPingInterval = 4 * time.Minute
	MeteredPingTimeout  = 30 * time.Second
)

// pings gives the link's defaults.
func (l Link) pings() (interval, timeout time.Duration) {
	if l == LinkMetered {
		return MeteredPingInterval, MeteredPingTimeout
	}
	return DefaultPingInterval, DefaultPingTimeout
}
