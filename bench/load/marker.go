package load

import (
	"context"
	"fmt"
	"net/http"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// Marker creates a pod of that name, by which whoever watches knows that all
// changes before it have come.
func Marker(ctx context.Context, d *realapi.Direct, name string) error {
	body := fmt.Appendf(nil, `{"metadata":{"name":%q},"spec":{"containers":[{"name":"c","image":"i"}]}}`, name)
	_, err := d.Do(ctx, http.MethodPost, "/api/v1/namespaces/"+Namespace(0)+"/pods", body)
	return err
}

// RemoveMarker deletes it.
func RemoveMarker(ctx context.Context, d *realapi.Direct, name string) error {
	_, err := d.Do(ctx, http.MethodDelete, "/api/v1/namespaces/"+Namespace(0)+"/pods/"+name+"?gracePeriodSeconds=0", nil)
	return err
}
