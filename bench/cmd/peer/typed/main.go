// Command typed is client-go's typed pod informer with its defaults.
//
//	typed [-plain] [-follow]
package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/clientgo"
)

func main() {
	clientgo.Main(func(config *rest.Config) (cache.SharedIndexInformer, error) {
		c, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return informers.NewSharedInformerFactory(c, 0).Core().V1().Pods().Informer(), nil
	})
}
