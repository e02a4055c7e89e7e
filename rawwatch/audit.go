package rawwatch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// MaxAuditDifferences bounds what an [AuditReport] names.
const MaxAuditDifferences = 20

// ErrAuditVoid is why an audit came to no conclusion: too much changed
// meanwhile, or the server answered with another version than was asked for.
var ErrAuditVoid = errors.New("rawwatch: the audit compares two different moments")

// AuditReport is what a consistency audit has found.
type AuditReport struct {
	// ResourceVersion at which was compared, from Begun on for Took.
	ResourceVersion string
	Begun           time.Time
	Took            time.Duration
	// Objects that the server listed.
	Objects int
	// Differences in all, of which Found names the first.
	Differences int
	Found       []AuditDifference
	// Err is set when the audit came to no conclusion: a [*RequestError], or
	// [ErrAuditVoid]. Nothing was healed then.
	Err error
}

// AuditDifference is one object that is not known as the server has it.
type AuditDifference struct {
	Key  decode.Key
	Kind AuditKind
}

// AuditKind says how an object differs.
type AuditKind string

const (
	// AuditMissing: the server has it, and it was not delivered.
	AuditMissing AuditKind = "missing"
	// AuditDifferent: another uid or resourceVersion was delivered.
	AuditDifferent AuditKind = "different"
	// AuditExtra: it was delivered, and the server does not have it.
	AuditExtra AuditKind = "extra"
)

func (d *duet) beginAudit(action resume.Action) {
	page := listPage{limit: action.Limit, token: action.Continue, exact: action.ResourceVersion}
	page.form = formFor(d.query.Resource, d.options.Encoding, true)
	if action.Continue == "" {
		d.stopSide()
		d.index.BeginAudit()
		d.audit = &AuditReport{ResourceVersion: action.ResourceVersion, Begun: time.Now()}
	} else {
		d.side.stop()
	}
	d.auditing = true
	d.side = d.pageLane(page)
}

func (d *duet) auditItem(meta *decode.Meta) {
	d.audit.Objects++
	if kind := d.index.Audit(meta); kind == resume.Missing {
		d.differs(string(meta.Namespace), string(meta.Name), AuditMissing)
	} else if kind == resume.Different {
		d.differs(string(meta.Namespace), string(meta.Name), AuditDifferent)
	}
}

func (d *duet) differs(namespace, name string, kind AuditKind) {
	if d.audit.Differences++; d.audit.Differences <= MaxAuditDifferences {
		d.audit.Found = append(d.audit.Found, AuditDifference{Key: decode.Key{Namespace: namespace, Name: name}, Kind: kind})
	}
}

// auditPage takes in the end of a page, and concludes after the last.
func (d *duet) auditPage(end pageEnd) (resume.Action, error) {
	o := resume.Outcome{Kind: resume.PageListed, Beside: true, ResourceVersion: end.ResourceVersion, Continue: end.Continue}
	if end.Continue == "" {
		extra, conclusive := d.index.EndAudit()
		for id := range extra {
			d.differs(id.Namespace, id.Name, AuditExtra)
		}
		if !conclusive || end.ResourceVersion != "" && end.ResourceVersion != d.audit.ResourceVersion {
			d.audit.Err = ErrAuditVoid
		}
		o.Differs = d.audit.Err == nil && d.audit.Differences > 0
		d.reportAudit()
	}
	return d.step(o)
}

func (d *duet) auditFailed(failure error) (resume.Action, error) {
	d.index.AbortAudit()
	d.audit.Err = failure
	d.reportAudit()
	return d.stepAfter(resume.Outcome{Kind: resume.Failed, Beside: true, Failure: classify(failure)}, failure)
}

func (d *duet) reportAudit() {
	d.audit.Took = time.Since(d.audit.Begun)
	switch {
	case d.audit.Err != nil:
		d.client.log.Log(context.Background(), slog.LevelInfo, "audit without a conclusion", "watch", d.query.String(), "error", d.audit.Err)
	case d.audit.Differences > 0:
		d.client.log.Log(context.Background(), slog.LevelError, "audit: what was delivered is not what the server has; listing anew", "watch", d.query.String(),
			"differences", d.audit.Differences, "objects", d.audit.Objects, "resourceVersion", d.audit.ResourceVersion)
	}
	if d.options.OnAudit != nil {
		d.options.OnAudit(*d.audit)
	}
}
