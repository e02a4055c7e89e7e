package rawwatch

import (
	"context"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// duet is the loop while something runs beside the watch: the further pages of
// a list, or an audit. Both are read at once, for a server ends watches that
// are not read; what they read is taken in one at a time, in the consumer's
// goroutine as ever.
type duet struct {
	*reflection
	main, side           *lane // nil: none
	mainTimer, sideTimer *time.Timer
	auditing             bool // what runs beside is an audit
}

// duet does what the machine says until nothing runs beside the watch any more.
// Both goroutines have ended when it returns.
func (r *reflection) duet(action resume.Action) (resume.Action, error) {
	d := &duet{reflection: r}
	defer d.stop()
	var err error
	for err == nil {
		if !d.begin(action) {
			return action, nil
		}
		action, err = d.next()
	}
	return action, err
}

func (d *duet) stop() {
	d.stopMain()
	d.stopSide()
}

func (d *duet) stopMain() {
	d.main.stop()
	stopTimer(d.mainTimer)
	d.main, d.mainTimer = nil, nil
}

func (d *duet) stopSide() {
	d.side.stop()
	stopTimer(d.sideTimer)
	d.side, d.sideTimer = nil, nil
	if d.auditing {
		d.index.AbortAudit()
		d.auditing = false
	}
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}

func expiry(t *time.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}

// begin starts what the action asks for. It is false when the action can be
// carried out alone again.
func (d *duet) begin(action resume.Action) bool {
	switch action.Beside {
	case resume.NothingBeside:
		d.stopSide()
		if action.Kind == resume.GoOn {
			break // the watch may be read at this moment: it is alone from its next frame on
		}
		d.alone(action)
		return false
	case resume.ListBeside:
		d.stopSide()
		d.side = d.pageLane(listPage{limit: action.Limit, token: action.Continue, form: d.form})
	case resume.AuditBeside:
		d.beginAudit(action)
	case resume.WaitBeside:
		d.stopSide()
		d.sideTimer = time.NewTimer(action.Wait)
	}
	d.beginMain(action)
	return true
}

// alone ends the watch's goroutine. A stream that is to be read on stays open.
func (d *duet) alone(action resume.Action) {
	if action.Kind == resume.Read && d.main != nil {
		d.main.park()
		d.main = nil
		return
	}
	d.stopMain()
}

func (d *duet) beginMain(action resume.Action) {
	switch action.Kind {
	case resume.GoOn:
		return
	case resume.Read:
		if d.main == nil {
			d.main = d.readLane(d.stream)
		} else {
			d.main.reply(true)
		}
		return
	}
	d.stopMain()
	d.closeStream()
	switch action.Kind {
	case resume.Watch:
		d.main = d.openLane(d.streamStart(action))
	case resume.Probe:
		d.main = d.pageLane(listPage{limit: 1, form: d.form})
	case resume.Wait:
		d.mainTimer = time.NewTimer(action.Wait)
	}
}

// next waits for what comes first, and tells the machine.
func (d *duet) next() (resume.Action, error) {
	for {
		select {
		case h := <-d.main.received():
			d.main.waits = true
			if h.item == nil { // items of a probe say nothing
				return d.watchHanded(h)
			}
			d.main.reply(true)
		case h := <-d.side.received():
			d.side.waits = true
			if h.item == nil {
				return d.pageHanded(h)
			}
			if err := d.itemHanded(h.item); err != nil {
				return d.unlisted(err, true)
			}
			d.side.reply(true)
		case <-expiry(d.mainTimer):
			return d.step(resume.Outcome{Kind: resume.WaitOver})
		case <-expiry(d.sideTimer):
			return d.step(resume.Outcome{Kind: resume.WaitOver, Beside: true})
		case <-d.ctx.Done():
			return resume.Action{}, context.Cause(d.ctx)
		}
	}
}

// watchHanded takes in what the watch, or the probe in its place, has brought.
func (d *duet) watchHanded(h handover) (resume.Action, error) {
	switch {
	case h.read:
		return d.framed(h.frame, h.err)
	case h.err != nil:
		return d.failed(h.err)
	case h.stream != nil:
		return d.opened(h.stream)
	}
	d.board.page()
	return d.step(resume.Outcome{Kind: resume.PageListed, ResourceVersion: h.page.ResourceVersion})
}

// itemHanded takes in an object of a page.
func (d *duet) itemHanded(item *decode.Item) error {
	if d.auditing {
		d.auditItem(&item.Meta)
		return nil
	}
	return d.listed(item)
}

// pageHanded takes in the end of a page.
func (d *duet) pageHanded(h handover) (resume.Action, error) {
	switch {
	case d.auditing && h.err != nil:
		return d.auditFailed(h.err)
	case d.auditing:
		return d.auditPage(h.page)
	case h.err != nil:
		return d.report(h.err, true)
	}
	return d.pageEnded(h.page, false, true)
}
