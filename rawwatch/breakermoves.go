package rawwatch

import "sync"

// breakerMoves are the changes of a breaker's state that nobody was told of yet.
// They happen under the breaker's lock and are told outside of it, in their
// order and by one goroutine at a time: whoever is told may ask the client how
// it is, or send a request.
type breakerMoves struct {
	tell func(from, to BreakerState)

	mu      sync.Mutex // guards the fields below; taken under the breaker's
	pending []breakerMove
	telling bool
}

type breakerMove struct{ from, to BreakerState }

// maxBreakerMoves bounds what waits for a hook that does not return; the newest
// ones are then told as one.
const maxBreakerMoves = 16

func (m *breakerMoves) add(from, to BreakerState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.pending); n == maxBreakerMoves {
		m.pending[n-1].to = to
		return
	}
	m.pending = append(m.pending, breakerMove{from, to})
}

// flush tells what has not been told, unless somebody is at it: a hook that asks
// for the state comes here, too.
func (m *breakerMoves) flush() {
	for {
		move, ok := m.take()
		if !ok {
			return
		}
		m.deliver(move)
	}
}

func (m *breakerMoves) take() (breakerMove, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.telling || len(m.pending) == 0 {
		return breakerMove{}, false
	}
	move := m.pending[0]
	m.pending = m.pending[1:]
	m.telling = true
	return move, true
}

func (m *breakerMoves) deliver(move breakerMove) {
	defer func() { // also when the hook panics
		m.mu.Lock()
		defer m.mu.Unlock()
		m.telling = false
	}()
	m.tell(move.from, move.to)
}
