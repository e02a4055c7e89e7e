// Package killtest proves that an agent with a checkpoint survives SIGKILL. It
// is what the tests share that do so, beside a server in the same process and
// beside a real one.
//
// The agent ([RunAgent]) is a process of its own: an informer with a checkpoint
// on disk and two durable subscribers. One acknowledges by returning, the other
// later, by hand, in any order. Each writes down, in a file that outlives the
// process, what it was told and what it has acknowledged; the agent writes down
// what it restored before it had a network, and which versions it saved.
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
package killtest
