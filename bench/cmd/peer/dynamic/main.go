// Command dynamic is client-go's dynamic informer of pods with its defaults.
//
//	dynamic [-plain] [-follow]
package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/clientgo"
)

func main() {
	clientgo.Main(func(config *rest.Config) (cache.SharedIndexInformer, error) {
		c, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		return dynamicinformer.NewDynamicSharedInformerFactory(c, 0).ForResource(pods).Informer(), nil
	})
}
