package rawwatch

// gather lets frames gather until a busy connection has been read, when they
// come so often that this is worth it; see [moderatedConn]. It returns whether
// it did.
//
//go:noinline
func (s *stream) gather() bool {
	delay := s.client.options.BusyDelay
	if !s.pace.busy || delay <= 0 || s.x.others != nil {
		return false
	}
	if s.body.before != nil {
		s.body.before()
	}
	s.nap.wait(delay, s.x.ctx.Done(), s.client.traffic.batches.wait())
	s.pace.waited()
	return true
}
