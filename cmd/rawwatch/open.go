package main

import (
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// load reads the configuration that the flags and the environment name.
func (a *app) load() (*kubeconfig.Config, error) {
	config, err := kubeconfig.Load(a.connection.options(a))
	if err != nil {
		return nil, err
	}
	a.secrets.addConfig(config)
	if config.Exec != nil && isTerminal(a.stdin) {
		// A plugin that asks for a password can do so here.
		config.Exec.Stdin, config.Exec.Stderr = a.stdin, a.stderr
	}
	return config, nil
}

// open makes a client for that configuration.
func (a *app) open(o rawwatch.ClientOptions) (*rawwatch.Client, *kubeconfig.Config, error) {
	config, err := a.load()
	if err != nil {
		return nil, nil, err
	}
	client, err := rawwatch.NewClient(config, o)
	if err != nil {
		return nil, nil, err
	}
	return client, config, nil
}
