package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestWatchResume: the second run prints only what has changed since the first,
// also where the server's history is gone, and the third has nothing to say.
func TestWatchResume(t *testing.T) {
	for _, cause := range []string{"checkpoint", "relist"} {
		t.Run(cause, func(t *testing.T) {
			server, config := startServer(t)
			createPods(t, server, "shop", "a", "b")
			file := filepath.Join(t.TempDir(), "pods.ckpt")
			watch := []string{"watch", "pods", "-o", "json", "--sync-line", "--kubeconfig", config, "--resume", file}
			r := begin(t, watch...)
			r.expect("ADDED list Pod a", "ADDED list Pod b", "SYNCED")
			createPods(t, server, "shop", "c")
			r.expect("ADDED stream Pod c")
			if code := r.end(); code != exitOK {
				t.Errorf("exit code %d after an interrupt", code)
			}
			for _, name := range []string{"a", "b"} {
				if _, err := server.Delete(watchtest.Pods, "shop", name); err != nil {
					t.Fatal(err)
				}
			}
			createPods(t, server, "shop", "b")
			if cause == "relist" {
				server.Compact(server.Revision())
			}
			r = begin(t, watch...)
			r.expect("DELETED "+cause+" Pod a", "DELETED "+cause+" Pod b", "ADDED "+cause+" Pod b", "SYNCED")
			r.end()
			r = begin(t, watch...)
			r.expect("SYNCED")
			r.end()
		})
	}
}

// TestWatchResumeOfSecrets: the file holds nothing of the objects' content.
func TestWatchResumeOfSecrets(t *testing.T) {
	server, config := startServer(t)
	if _, err := server.Create(watchtest.Secrets, `{"metadata":{"namespace":"shop","name":"s"},"data":{"key":"aHVudGVyMg=="}}`); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "secrets.ckpt")
	for _, want := range []string{"ADDED list Secret s", ""} {
		r := begin(t, "watch", "secrets", "-o", "json", "--sync-line", "--kubeconfig", config, "--resume", file)
		if want != "" {
			r.expect(want)
		}
		if l := r.nextJSON(); l.Type != "SYNCED" {
			t.Errorf("got %+v", l)
		}
		r.end()
	}
	content, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(content), "aHVudGVy") {
		t.Errorf("the file has %q, %v", content, err)
	}
}

// TestWatchResumeOfForeign: a file that is not a checkpoint is kept, under another
// name that is said, and the watch begins like a first one.
func TestWatchResumeOfForeign(t *testing.T) {
	server, config := startServer(t)
	createPods(t, server, "shop", "a")
	file := filepath.Join(t.TempDir(), "pods.ckpt")
	if err := os.WriteFile(file, []byte("my shopping list"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{{"ADDED list Pod a", "SYNCED"}, {"SYNCED"}} {
		r := begin(t, "watch", "pods", "-o", "json", "--sync-line", "--kubeconfig", config, "--resume", file)
		r.expect(want...)
		r.end()
	}
	aside, err := filepath.Glob(file + ".foreign-*")
	if err != nil || len(aside) != 1 {
		t.Fatalf("set aside: %v, %v", aside, err)
	}
	if content, err := os.ReadFile(aside[0]); err != nil || string(content) != "my shopping list" {
		t.Errorf("%s holds %q, %v", aside[0], content, err)
	}
}

// TestWatchResumeMisuse: what cannot be is said at once.
func TestWatchResumeMisuse(t *testing.T) {
	_, config := startServer(t)
	for _, c := range []struct{ format, file, want string }{
		{"wide", filepath.Join(t.TempDir(), "x.ckpt"), "--resume prints with -o name or json"},
		{"json", t.TempDir(), "not a regular file"},
	} {
		got := invoke(t, "watch", "pods", "-o", c.format, "--kubeconfig", config, "--resume", c.file)
		if got.code == exitOK || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s %s: exit code %d, %s", c.format, c.file, got.code, got.stderr)
		}
	}
}
