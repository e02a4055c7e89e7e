package rawwatch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestGetDocument: one document, read as a whole, within its limit.
func TestGetDocument(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a")
		const path = "api/v1/namespaces/n/pods/a"
		body, err := w.client.GetDocument(w.Context(), path, rawwatch.DocumentOptions{})
		if err != nil || !strings.Contains(string(body), `"name":"a"`) {
			t.Errorf("got %s, %v", body, err)
		}
		exact := int64(len(body))
		if _, err := w.client.GetDocument(w.Context(), path, rawwatch.DocumentOptions{Limit: exact}); err != nil {
			t.Errorf("at the limit: %v", err)
		}
		var tooLarge *rawwatch.DocumentLimitError
		if _, err := w.client.GetDocument(w.Context(), path, rawwatch.DocumentOptions{Limit: exact - 1}); !errors.As(err, &tooLarge) || tooLarge.Limit != exact-1 {
			t.Errorf("over the limit: %v", err)
		}
		var failed *rawwatch.RequestError
		if _, err := w.client.GetDocument(w.Context(), path+"x", rawwatch.DocumentOptions{}); !errors.As(err, &failed) || failed.Code != 404 {
			t.Errorf("what is not there: %v", err)
		}
	})
}
