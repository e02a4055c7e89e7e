package resume

import "github.com/rawwatch/rawwatch/decode"

// MaxDeletions bounds what [Deletions] remembers: each takes about 200 bytes. A
// cluster with more deletions while it is listed is listed anew.
const MaxDeletions = 250_000

// Deletions remembers what was deleted while a list is under way. A page that
// was taken before may still hold the object, which must not come back. An
// [Index] has its own; this is for those who keep an index of another kind. The
// zero value is empty and ready to use.
type Deletions struct {
	versions map[decode.Key]string
	overfull bool
}

// Note remembers a DELETED event, borrowed or not.
func (d *Deletions) Note(m *decode.Meta) {
	key := keyOf(m)
	if _, known := d.versions[key]; !known && len(d.versions) >= MaxDeletions {
		d.overfull = true
		return
	}
	if d.versions == nil {
		d.versions = make(map[decode.Key]string)
	}
	d.versions[key] = string(m.ResourceVersion)
}

// Covers reports that m is certainly not newer than a deletion of its key that
// was noted. What is newer has been created again. It allocates nothing.
func (d *Deletions) Covers(m *decode.Meta) bool {
	version, there := d.versions[decode.Key{Namespace: string(m.Namespace), Name: string(m.Name)}]
	if !there {
		return false
	}
	order, comparable := compareVersions(m.ResourceVersion, version)
	return comparable && order <= 0
}

// Has reports that a deletion of m's key was noted.
func (d *Deletions) Has(m *decode.Meta) bool {
	_, there := d.versions[decode.Key{Namespace: string(m.Namespace), Name: string(m.Name)}]
	return there
}

// Overfull reports that more than [MaxDeletions] were told. An object that was
// deleted may then have come back with an older page: the list must not be
// concluded but begun anew.
func (d *Deletions) Overfull() bool { return d.overfull }

// Clear forgets everything.
func (d *Deletions) Clear() { d.versions, d.overfull = nil, false }
