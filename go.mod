module github.com/rawwatch/rawwatch

go 1.26.0

require (
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/json-iterator/go v1.1.12
	github.com/klauspost/compress v1.20.4
	github.com/sony/gobreaker/v2 v2.4.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	go.uber.org/goleak v1.3.0
	go.yaml.in/yaml/v2 v2.4.2
	golang.org/x/net v0.62.0
	golang.org/x/time v0.16.0
	sigs.k8s.io/yaml v1.5.0
)

require (
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/text v0.43.0 // indirect
)
