//go:build !linux

package rawwatch

const canMute = false

func setLowWater(uintptr, int) bool { return false }

// readMuted is Read: nothing is muted here.
func (s *socket) readMuted(p []byte) (int, error) { return s.Read(p) }
