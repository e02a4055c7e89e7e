// Package negotiation puts the same requests to the in-process server of
// package watchtest and to a real kube-apiserver, and compares what they
// answer: which Accept header leads to which encoding and kind, which to a
// refusal, how errors and watch frames look in each, and what is in a Table.
package negotiation
