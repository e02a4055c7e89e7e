module github.com/rawwatch/rawwatch/bench/peers/ericchiang

go 1.26.0

require (
	github.com/ericchiang/k8s v1.2.0
	github.com/rawwatch/rawwatch/bench v0.0.0
	sigs.k8s.io/yaml v1.6.0
)

require (
	// The last one that does not look into the library's descriptors, which the
	// ones after it find faulty.
	github.com/golang/protobuf v1.3.5 // indirect
	go.yaml.in/yaml/v2 v2.4.4 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace (
	github.com/rawwatch/rawwatch => ../../../
	github.com/rawwatch/rawwatch/bench => ../../
)
