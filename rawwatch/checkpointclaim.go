package rawwatch

import (
	"reflect"
	"strconv"
	"sync"

	"github.com/rawwatch/rawwatch/resume"
)

// claim is a watch in a checkpoint, which one informer saves. Two would save
// the objects of the one with the version of the other, and both as their own.
type claim struct {
	store resume.Checkpoint
	watch string
}

// claimed are the claims of all informers of the process that run.
var claimed sync.Map

// take claims the watch; the error says that another informer has it.
func (c claim) take() error {
	if !c.certain() {
		return nil
	}
	if _, taken := claimed.LoadOrStore(c, nil); taken {
		return &OptionError{
			Option:  "CheckpointOptions.Watch",
			Problem: "is " + strconv.Quote(c.watch) + ", which another informer saves in this checkpoint: give each a name of its own",
		}
	}
	return nil
}

// giveUp ends a claim that was taken.
func (c claim) giveUp() {
	if c.certain() {
		claimed.Delete(c)
	}
}

// certain is false when nobody can tell the checkpoint from another.
func (c claim) certain() bool { return reflect.ValueOf(c.store).Comparable() }
