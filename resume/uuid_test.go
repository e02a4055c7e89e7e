package resume

import (
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// TestUIDsComeBackByteForByte: whatever a server calls a uid, dashes in odd
// places included.
func TestUIDsComeBackByteForByte(t *testing.T) {
	good := "0a533f86-ac66-4724-9736-bfcb882c9869"
	uids := []string{good, strings.ToUpper(good), "", "x", good + "0", "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaa-a"}
	for i := range good {
		for _, c := range []byte("-g/A\x00") {
			uids = append(uids, good[:i]+string(c)+good[i+1:])
		}
	}
	for _, uid := range uids {
		var x Index[struct{}]
		x.Observe(&decode.Meta{Name: []byte("a"), UID: []byte(uid), ResourceVersion: []byte("7")})
		if c, _ := x.Observe(&decode.Meta{Name: []byte("a"), UID: []byte(uid), ResourceVersion: []byte("7")}); c != Unchanged {
			t.Errorf("uid %q seen again is %v", uid, c)
		}
		if _, id, _ := x.Get(decode.Key{Name: "a"}); id.UID != uid {
			t.Errorf("uid %q came back as %q", uid, id.UID)
		}
	}
}
