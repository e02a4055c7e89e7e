// Package realapi builds, starts and stops a real kube-apiserver for tests
// and measurements, from published Go modules alone: no container and no
// release binary is needed.
//
// [Build] makes one program and keeps it in a cache folder, so that only the
// first run pays (about four minutes on two cores for kube-apiserver, half a
// minute for etcd, a minute and a half for kine). The modules that it builds
// stand in the folder servers, one for each program: their dependency
// versions differ, so they cannot be one module, nor part of this one.
//
// [Launch] starts a store (etcd, or kine over SQLite) and a kube-apiserver on
// it, on free ports, side by side with as many others as you like. [Start]
// does the same for a test and takes everything down with it. The server can
// be stopped, killed and started again on the same port with the same store,
// with other flags, and the store can be compacted under it.
//
// No process outlives the one that started it: on Linux the kernel kills the
// servers when the test binary dies, however it dies.
package realapi
