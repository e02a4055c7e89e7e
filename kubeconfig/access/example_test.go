package access_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
)

// In a pod, everything is where Kubernetes puts it; here that is a folder.
func ExampleInCluster() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for file, text := range map[string]string{"token": "sesame", "namespace": "machines"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	environment := map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
	config, err := access.InCluster(access.Options{
		ServiceAccount: dir,
		Getenv:         func(name string) string { return environment[name] },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.Server, config.Namespace, config.Credential())
	// Output: https://10.0.0.1:443 machines token file
}
