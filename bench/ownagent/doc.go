// Package ownagent is the agent that rawwatch is for, as a measured program: it
// follows every pod, keeps a few fields of each or none, and prints what that
// has cost when it is in sync, and with each marker that comes.
package ownagent
