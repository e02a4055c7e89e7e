package killtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

// someBatch is how many changes the subscriber "some" is told at once.
const someBatch = 8

// passes is the filter of "some": of three objects it sees two.
func passes(content string) bool {
	n, err := strconv.Atoi(content)
	return err != nil || n%3 != 0
}

var errNotNow = errors.New("killtest: not now")

// subscribeSome makes the third subscriber, "some". It gets the newest states of
// what passes its filter, in batches, takes its time now and then, and fails now
// and then: so states are overtaken by newer ones while they wait, and while they
// are tried again.
func (a *agent) subscribeSome() error {
	_, err := a.informer.SubscribeBatch(a.toldSome, rawwatch.SubscriptionOptions[configMap]{
		Name: some, Durable: true, ChangesOnly: true,
		Delivery: rawwatch.Coalesce, BatchSize: someBatch,
		Filter:   func(item *rawwatch.Item[configMap]) bool { return passes(item.Value.Data[ContentKey]) },
		Attempts: rawwatch.RetryForever, Backoff: resume.Backoff{Min: time.Millisecond, Max: 5 * time.Millisecond},
	})
	return err
}

// toldSome writes a whole call at once, and then how it ends. It counts as
// acknowledged for sure once there is another call.
func (a *agent) toldSome(_ context.Context, batch []rawwatch.Change[configMap]) error {
	lines := some + " CALL"
	for i := range batch {
		lines += "\n" + changeLine(some, &batch[i])
	}
	if err := a.line("%s", lines); err != nil {
		return err
	}
	if rand.IntN(4) == 0 {
		time.Sleep(time.Duration(rand.Int64N(int64(8 * time.Millisecond))))
	}
	if rand.IntN(6) == 0 {
		return errors.Join(errNotNow, a.line("%s FAILING", some))
	}
	return a.line("%s ACKING", some)
}
