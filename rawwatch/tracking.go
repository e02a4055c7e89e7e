package rawwatch

import (
	"iter"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// tracking is what a reflection knows of the objects that it has delivered: a
// [resume.Index], or the store of an informer, so that no key is held twice.
type tracking interface {
	Observe(*decode.Meta) (resume.Change, decode.Identity)
	Remove(*decode.Meta) (old decode.Identity, known bool)
	BeginRelist()
	AbortRelist()
	EndRelist() iter.Seq[decode.Identity]
	ForgetOrder()
	Overfull() bool
	BeginAudit()
	Audit(*decode.Meta) resume.Discrepancy
	EndAudit() (extra iter.Seq[decode.Identity], conclusive bool)
	AbortAudit()
	Len() int
}
