// Package trial runs jobs, each on several contestants in turn, and keeps what
// came of it: every figure of every run, and what was skipped and why.
//
// It knows nothing of servers and clients. A [Job] is a list of contestants,
// each a function that returns named [Figures]; [Suite.Run] runs them A B C,
// A B C, so that the machine's moods hit all alike, and stops when the context
// ends, with what is done. What did not run has a reason in its place, and no
// figure: nothing is ever shown as zero that was not measured.
package trial
