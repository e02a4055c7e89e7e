package rawwatch

import "time"

// SubscriptionStats is how a [Subscription] stands.
type SubscriptionStats struct {
	// QueueLength is how many changes wait, without those in hand.
	QueueLength int
	// InHand is how many changes the handler has, or will get again.
	InHand int
	// Unacknowledged is how many were delivered and wait for
	// [Subscription.Ack].
	Unacknowledged int
	// Lag is the time since the oldest change was published that the handler
	// is not done with; since the subscription began, as long as the objects
	// to begin with are not all delivered. 0 when it is up to date.
	Lag time.Duration
	// Delivered counts the changes that the handler took, without an error.
	Delivered uint64
	// Retried counts attempts after the first, of a change or a batch.
	Retried uint64
	// Dropped counts the changes given up after the last attempt.
	Dropped uint64
	// Filtered counts the changes that did not pass filter or predicates.
	Filtered uint64
	// Coalesced counts the changes that were merged into others, or cancelled.
	Coalesced uint64
	// Blocking says that the stream waits now because the queue is full;
	// Blocked is how long it has waited so, in all.
	Blocking bool
	Blocked  time.Duration
	// Acknowledged is [Subscription.Acknowledged].
	Acknowledged uint64
	// LastError is the last failure, a [*HandlerError]; nil when there was
	// none. LastErrorTime is when it was.
	LastError     error
	LastErrorTime time.Time
}

// tally is what a subscription counts. It is guarded by its lock.
type tally struct {
	delivered, retried, dropped, filtered, superseded uint64

	inHand        int
	blocked       time.Duration
	blockedSince  time.Time
	lastError     error
	lastErrorTime time.Time
}

func (t *tally) unblock() {
	if !t.blockedSince.IsZero() {
		t.blocked += time.Since(t.blockedSince)
		t.blockedSince = time.Time{}
	}
}

// Stats is how the subscription stands at this moment.
func (s *Subscription[T]) Stats() SubscriptionStats {
	if s.owner == nil {
		return SubscriptionStats{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tally
	stats := SubscriptionStats{
		QueueLength:    s.queue.size(),
		InHand:         t.inHand,
		Unacknowledged: s.ledger.n,
		Lag:            s.lag(),
		Delivered:      t.delivered,
		Retried:        t.retried,
		Dropped:        t.dropped,
		Filtered:       t.filtered,
		Coalesced:      t.superseded + s.queue.merged(),
		Blocking:       !t.blockedSince.IsZero(),
		Blocked:        t.blocked,
		Acknowledged:   s.acknowledged(),
		LastError:      t.lastError,
		LastErrorTime:  t.lastErrorTime,
	}
	if stats.Blocking {
		stats.Blocked += time.Since(t.blockedSince)
	}
	return stats
}

func (s *Subscription[T]) lag() time.Duration {
	var oldest time.Time
	switch _, at, waiting := s.queue.peek(); {
	case s.closed:
		return 0
	case s.initial:
		oldest = s.joinedAt
	case s.handLow != 0:
		oldest = s.handAt
	case waiting:
		oldest = at
	default:
		return 0
	}
	return time.Since(oldest)
}
