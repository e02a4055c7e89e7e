// Command metadata is client-go's metadata informer of pods with its defaults.
//
//	metadata [-plain] [-follow]
package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/clientgo"
)

func main() {
	clientgo.Main(func(config *rest.Config) (cache.SharedIndexInformer, error) {
		c, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
		return metadatainformer.NewSharedInformerFactory(c, 0).ForResource(pods).Informer(), nil
	})
}
