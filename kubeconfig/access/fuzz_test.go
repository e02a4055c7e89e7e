package access

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse: no text makes the loader panic or hang, and each that is refused
// is refused with the file's name.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../../testdata/kubeconfig/*/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("a: &a [*a]")
	f.Add("{a: &a {b: *a}}")
	f.Add("users: [{name: \"\\u0000]\", user: {exec: {args: [1]}}}]")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := yamlFiles.parse("the/file", "/the", []byte(text))
		if err != nil {
			var field *FieldError
			if !errors.As(err, &field) || field.File != "the/file" || !strings.Contains(err.Error(), "the/file") {
				t.Fatalf("%q: not a FieldError with the file: %v", text, err)
			}
			return
		}
		m := &merged{clusters: map[string]clusterEntry{}, users: map[string]userEntry{}, contexts: map[string]contextEntry{}, files: []string{"the/file"}}
		m.add(d)
		ch, err := m.choose(yamlFiles, Options{}.withDefaults())
		if err != nil {
			return
		}
		ch.override(Options{})
		if err := ch.config.check(); err == nil {
			_ = ch.config.Describe()
		}
	})
}

// FuzzExecCredential: what a plugin prints is a credential or an error.
func FuzzExecCredential(f *testing.F) {
	f.Add(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","expirationTimestamp":"2030-01-01T00:00:00Z"}}`)
	f.Add(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":"x","clientKeyData":"y"}}`)
	f.Add("kind: ExecCredential\nstatus: []")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseExecCredential([]byte(text), &ExecConfig{APIVersion: execV1, answers: yamlFiles}, 1000)
		if err == nil && got.token == "" && got.cert == nil {
			t.Fatalf("%q gives neither a credential nor an error", text)
		}
	})
}
