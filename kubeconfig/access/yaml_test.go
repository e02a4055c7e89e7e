package access

import "go.yaml.in/yaml/v2"

// yamlFiles reads as package kubeconfig does.
var yamlFiles = NewFiles(yaml.Unmarshal)
