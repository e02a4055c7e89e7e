package rawwatch

// Causes that only a [Subscription] delivers: what comes from the store, not
// from the server.
const (
	// CauseStore: the object was there before the subscriber was.
	CauseStore Cause = "store"
	// CauseResync: nothing changed; every object is delivered again, as
	// [SubscriptionOptions].Resync asks for.
	CauseResync Cause = "resync"
)
