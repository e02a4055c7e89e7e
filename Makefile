# Every target runs on a machine with Go and nothing else; what a target needs
# beside that it builds into bench/.cache.

GO          ?= go
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZ        ?= 300000x
LDFLAGS     := -s -w

.PHONY: help nightly demo build test lint fuzz realapi conformance chaos idle latency soak measure bench microbench size budgets baselines profile constrained cross arm ci clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: ## a live watch through a 410, cut connections and a server restart, without a cluster
	$(GO) run ./cmd/rawwatch demo

build: ## the command line, stripped, as bin/rawwatch
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/rawwatch ./cmd/rawwatch

test: ## all tests of the root module and of the adapters, race detector on
	$(GO) test -race -timeout 12m ./...
	cd adapters/prometheus && $(GO) test -race -timeout 12m ./...

nightly: ## ten million random steps of the resume machine, agents killed 2,000 times beside each server, and each fuzz target for three million inputs
	$(GO) test ./resume -run 'TestRandomWalk$$' -count=1 -timeout 1h -v -args -walk-steps 10000000
	$(GO) test ./rawwatch -run 'TestCheckpointKilled$$' -count=1 -timeout 30m -v -args -kills 2000
	cd bench && $(GO) test ./killed -run 'TestKilled$$' -count=1 -timeout 30m -v -args -kills 2000
	.ci/fuzz 3000000x

lint: ## gofmt, vet, staticcheck, and the rules of the house
	.ci/lint

fuzz: ## each fuzz target for FUZZ inputs (300000x), or a time such as FUZZ=1m
	.ci/fuzz $(FUZZ)

realapi: ## build and cache a real kube-apiserver, an old release of it, etcd and kine
	cd bench && $(GO) run ./cmd/realapi build -old

conformance: ## the suites against the real API server, client-go and k8s.io/api as the oracles
	cd bench && $(GO) test -count=1 -timeout 25m ./...
	cd bench && $(GO) test -race -count=1 -timeout 10m -run '^TestInformerBesideClientGo$$' ./conformance
	cd resume/etcdcheckpoint && $(GO) test -count=1 -timeout 5m ./...

MINUTES ?= 10
SEED    ?= 0
WORLDS  ?= etcd,nocache,kine,old
TROUBLES ?=

chaos: ## MINUTES of random writes while servers, stores and networks break; SEED repeats, WORLDS and TROUBLES choose
	cd bench && $(GO) test -count=1 -timeout $$(($(MINUTES) + 30))m -v -run '^TestChaos$$' ./conformance -chaos $(MINUTES)m -seed $(SEED) -worlds $(WORLDS) -troubles '$(TROUBLES)'

idle: ## what an idle watch costs in memory, goroutines and connections, beside client-go
	cd bench && $(GO) run ./cmd/idle

latency: ## from a write's acknowledgement to the consumer, beside client-go
	cd bench && $(GO) run ./cmd/latency

soak: ## MINUTES under steady load and cuts: fails if memory, goroutines or descriptors rise
	cd bench && $(GO) run ./cmd/soak -minutes $(MINUTES)

measure: ## rawwatch and client-go as whole processes: binary size, CPU, memory
	cd bench && $(GO) run ./cmd/measure

PODS  ?= 10000
BENCH ?=

bench: ## rawwatch and its peers in one run, with plots, into bench/report: PODS, and BENCH for further flags
	cd bench && $(GO) run ./cmd/report -pods $(PODS) $(BENCH)

microbench: ## micro-benchmarks of the root module, benchstat-ready
	$(GO) test -run '^$$' -bench . -benchmem ./...

size: ## the stripped sizes of the programs and the modules of the graph, beside their budgets
	.ci/size

budgets: ## all that bench/budgets.json bounds, 50,000 pods included
	cd bench && $(GO) run ./cmd/budget -full

baselines: ## micro-benchmarks as multiples of a reference loop, beside those stored in bench/baselines.json
	cd bench && $(GO) run ./cmd/baselines

profile: ## CPU and heap profiles of rawwatch at JOB=sync, churn, relist or idle, and their heads
	cd bench && $(GO) run ./cmd/profile -job '$(JOB)' -pods $(or $(PODS),10000) -out '$(OUT)'

constrained: ## who comes into sync, and who is killed, in 32 to 128 MB with 10,000 and 50,000 pods
	cd bench && $(GO) run ./cmd/constrained

cross: ## the command line and the examples built for other machines: their sizes
	cd bench && $(GO) run ./cmd/cross

arm: ## the tests as 32-bit ARM programs, where qemu-user is installed
	.ci/arm

ci: ## everything that the gate runs
	.ci/run

clean: ## remove what was built, the cached servers included
	rm -rf bin bench/.cache
