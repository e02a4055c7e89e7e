// Package killtest proves that an agent with a checkpoint survives SIGKILL. It
// is what the tests share that do so, beside a server in the same process and
// beside a real one.
//
// The agent ([RunAgent]) is a process of its own: an informer with a checkpoint
// on disk and three durable subscribers. One acknowledges by returning, the second
// later, by hand, in any order. The third gets the newest states ([rawwatch.Coalesce])
// of what passes a filter, in batches, and fails now and then. Each writes down, in a
// file that outlives the process, what it was told and what it has acknowledged; the
// agent writes down what it restored before it had a network, and which versions it
// saved. Whoever kills it adds at which version the server was then.
//
// A [History] is what really happened, from a watch that shares no code with
// the library. [Judge] reads the file beside the history:
//
//   - What is restored is the server's state as of the restored version, object
//     for object; and that version is the last one saved, or one whose saving the
//     kill has interrupted.
//   - What is told after that is what happened after that version, event for
//     event: nothing is missing, and nothing is told again but what was not
//     acknowledged when the process was killed, saved or not. Across a lost history
//     it is the difference from what the subscriber knows, deletions of what only
//     it knows included.
//   - What each subscriber has folded from all that it was told, in all of its
//     processes, is the server's state whenever it is in sync.
//   - Nothing is saved before both subscribers have acknowledged all of it.
//
// Of the third subscriber nobody can say event for event what it is told. For it
//
//   - Two states are folded from all processes: one takes in whatever it was told,
//     the other only what it acknowledged, as if a call that failed, or in which it
//     was killed, had not been. Each time it is in sync as of a version both show each
//     object as it was at that version, or later, but not later than the kill: which
//     is not there if it does not pass the filter. At the end they are what the server
//     has.
//   - Types are right for who undoes what he has not acknowledged: ADDED is what was
//     not there, and what only he knows, for the first time in a process; MODIFIED is
//     what was there. DELETED is also what was told and not acknowledged, or was in the
//     hand of a process that was killed. Where it was killed while it acknowledged,
//     both are right.
//   - Nothing is told again, or older, that it has acknowledged for sure; nor, in one
//     process, anything older than what it was told. What was DELETED comes back only
//     in a state after the one that did not pass. A name is not used again before
//     that is told of who had it.
//   - What a call has failed to take the next one has, as it was or newer.
//   - Every state that is told was one of the server's; ADDED and MODIFIED pass.
//   - Nothing is saved as of a version before it has acknowledged each object as it
//     was at that version, or later.
package killtest
