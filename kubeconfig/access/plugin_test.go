package access

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

// actAsPlugin is the other side of the exec tests: a real process, the test
// binary itself. Each run adds a line to the file TEST_RUNS.
func actAsPlugin(answer string) {
	run := countRun(os.Getenv("TEST_RUNS"))
	status := ""
	switch answer {
	case "token":
		status = fmt.Sprintf(`"token":"token-%d"`, run)
	case "expiry":
		status = fmt.Sprintf(`"token":"token-%d","expirationTimestamp":%q`, run, os.Getenv("TEST_EXPIRY"))
	case "same":
		status = `"token":"always-the-same"`
	case "pair":
		status = fmt.Sprintf(`"clientCertificateData":%q,"clientKeyData":%q`, os.Getenv("TEST_CERT"), os.Getenv("TEST_KEY"))
	case "info":
		fmt.Fprint(os.Stderr, os.Getenv("KUBERNETES_EXEC_INFO"))
		os.Exit(1)
	case "stdin":
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		status = fmt.Sprintf(`"token":%q`, "read-"+strings.TrimSpace(line))
	case "wait": // until the test opens the gate, a named pipe's reader
		text, err := os.ReadFile(os.Getenv("TEST_GATE"))
		status = fmt.Sprintf(`"token":"token-%d-%s-%v"`, run, strings.TrimSpace(string(text)), err)
	case "hang":
		select {}
	case "hang with child":
		child := os.Getenv("TEST_CHILD")
		if child == "" {
			startChild()
		}
		select {}
	case "leave child":
		if os.Getenv("TEST_CHILD") != "" {
			select {}
		}
		startChild()
		status = `"token":"left"`
	case "flood":
		w := bufio.NewWriter(os.Stdout)
		for range 1 << 22 {
			_, _ = io.WriteString(w, "garbage and more garbage\n")
		}
		_ = w.Flush()
	case "fail":
		fmt.Fprintf(os.Stderr, "first line\n\x1b[31mcannot log in\x1b[0m: token=%s password: hunter2hunter2 env %s eyJhbGciOiJub25lIn0.eyJhIjoxfQ.sig\n", "sesame-sesame", os.Getenv("TEST_SECRET"))
		os.Exit(7)
	case "chatter":
		fmt.Fprintln(os.Stderr, strings.Repeat("chatter ", 10000)+"THE END")
		os.Exit(1)
	case "killed":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	default: // the answer itself
		fmt.Print(answer)
		return
	}
	fmt.Printf(`{"kind":"ExecCredential","apiVersion":%q,"status":{%s}}`, execV1, status)
}

func countRun(file string) int {
	if file == "" {
		return 1
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		panic(err)
	}
	_, _ = f.WriteString("run\n")
	text, _ := os.ReadFile(file)
	_ = f.Close()
	return strings.Count(string(text), "\n")
}

func startChild() {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	p, err := os.StartProcess(self, []string{self}, &os.ProcAttr{
		Env: append(os.Environ(), "TEST_CHILD=1"), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		panic(err)
	}
	if file := os.Getenv("TEST_PID"); file != "" {
		_ = os.WriteFile(file, []byte(strconv.Itoa(p.Pid)), 0o600)
	}
}

// execUser is a Config with a plugin that behaves as told.
func execUser(t *testing.T, answer string, env ...EnvVar) *Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Config{Server: "https://k.example", Exec: &ExecConfig{
		Command: self, APIVersion: execV1, InteractiveMode: interactiveNever,
		// Without this each run of a binary with the race detector takes a second.
		Env: append([]EnvVar{{"TEST_PLUGIN", answer}, {"GORACE", "atexit_sleep_ms=0"}}, env...),
	}}
}
