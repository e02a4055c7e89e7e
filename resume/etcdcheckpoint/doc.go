// Package etcdcheckpoint keeps checkpoints in etcd, for agents that move between
// machines: the one that is started elsewhere goes on where this one stopped. It
// is a module of its own, so that nobody else has etcd's client among their
// dependencies.
//
// # Keys
//
// Under Options.Prefix each watch has one key that says what it is, and one per
// batch:
//
//	PREFIX/WATCH/meta             identity, version, generation, last batch: JSON
//	PREFIX/WATCH/GENERATION/SEQ   a batch, deflated
//	PREFIX/WATCH/aside            what was set aside last, as in meta, and the reason: JSON
//
// A commit is one transaction that puts its batch and the key meta. Larger
// batches than a request may hold are put in pieces before it, which count for
// nothing until then. When the batches have grown by three times the state, the
// state is put as a new generation and the old one is removed. Of what was set
// aside, the batches of the last one are kept too.
//
// # Who writes
//
// Load and Replace take a watch over: from then on another Store, such as that
// of an agent that was believed to be gone, gets a [*TakenOverError] from its
// next Commit, which changes nothing. So the state is always that of one agent.
//
// # When etcd does not answer
//
// The error of a Commit is etcd's, [resume.CheckpointStatus] says Degraded, and
// nothing is kept here: commit the same changes again. That does no harm when
// the first time had come through all the same.
//
// Use an etcd of your own, or one that is not Kubernetes': its quota is shared.
package etcdcheckpoint
