package checkpoint

import (
	"context"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// chunk is how many bytes of records a part holds when a whole state is
// written: enough to deflate well, little enough to hold.
const chunk = 128 << 10

// snapshot writes states into a new image, through write, which is given
// consecutive pieces that begin behind the header.
type snapshot struct {
	packer
	header header
	at     int64
	gen    uint64
	write  func(offset int64, p []byte) error
	frame  []byte
	batch  resume.Batch
}

func newSnapshot(h header, encryption Encryption, write func(int64, []byte) error) *snapshot {
	return &snapshot{packer: packer{encryption: encryption}, header: h, at: headerSize, write: write}
}

// watch writes the state of one watch, as the next generation, and gives the
// number of its objects.
func (s *snapshot) watch(ctx context.Context, w *watch, m *image) (objects int, err error) {
	frames, err := framesOf(m, w.gen)
	if err != nil {
		return 0, err
	}
	s.gen++
	s.batch.Reset()
	for r, err := range fold(ctx, m, frames, s.encryption) {
		if err != nil {
			return objects, err
		}
		objects++
		if s.batch.Add(&r); s.batch.Size() >= chunk {
			if err := s.part(ctx); err != nil {
				return objects, err
			}
		}
	}
	if err := s.part(ctx); err != nil {
		return objects, err
	}
	return objects, s.emit(appendBase(s.begin(), s.header.format, s.gen, w.id, w.version, w.at))
}

func (s *snapshot) part(ctx context.Context) error {
	if s.batch.Len() == 0 {
		return nil
	}
	frame, err := s.pack(appendKind(s.begin(), kindPart, s.gen), s.header.id, s.gen, s.batch.Bytes())
	s.batch.Reset()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.emit(frame)
}

func (s *snapshot) note(text string) error {
	return s.emit(appendString(appendKind(s.begin(), kindNote, s.gen), text))
}

// begin makes room for a frame's head.
func (s *snapshot) begin() []byte { return append(s.frame[:0], make([]byte, frameHead)...) }

func (s *snapshot) emit(frame []byte) error {
	s.frame = frame
	closeFrame(frame, 0, s.header.id, s.at)
	if err := s.write(s.at, frame); err != nil {
		return err
	}
	s.at += int64(len(frame))
	return nil
}

// finish gives the header, which is written last: without it there is no file.
func (s *snapshot) finish() header {
	s.header.baseSize = s.at
	return s.header
}

// commitFrame appends a whole commit frame to dst.
func (p *packer) commitFrame(dst []byte, m *image, gen uint64, version string, at time.Time, records []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, frameHead)...)
	dst = appendTime(appendString(appendKind(dst, kindCommit, gen), version), m.header.format, at)
	dst, err := p.pack(dst, m.header.id, gen, records)
	if err != nil {
		return dst[:start], err
	}
	closeFrame(dst, start, m.header.id, m.size()+int64(start))
	return dst, nil
}
