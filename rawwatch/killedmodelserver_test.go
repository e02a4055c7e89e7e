package rawwatch_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

func (t traits) namespaces() []string {
	if t.has(twoNamespaces) {
		return []string{"n", "m"}
	}
	return []string{"n"}
}

// modelNames are few, so that each is used again.
var modelNames = []string{"a", "b", "c", "d"}

// someHappens while the agent lives: some of it at once, some after the agent
// has got what was before.
func (k *killed) someHappens() {
	for range k.rand.IntN(4) {
		k.oneHappens()
		if k.rand.IntN(2) == 0 {
			k.settle()
		}
	}
}

// meanwhile is what happens while no agent lives.
func (k *killed) meanwhile() {
	for range k.rand.IntN(5) {
		k.oneHappens()
	}
	switch {
	case k.rand.IntN(3) == 0:
		k.forgetAll()
	case k.has(rolledBack) && k.rand.IntN(2) == 0 && len(k.waiting) == 0:
		// The last thing, since a server that is ahead again of all notes by the
		// time it is asked cannot be told from one that was never rolled back. What
		// was in hand is noted without a version, and so not behind anything either.
		k.goBack()
		k.calm = true
	}
}

// maybeCut now and then takes the watch from the agent, and what it would go on from.
func (k *killed) maybeCut() {
	if k.rand.IntN(12) == 0 {
		k.say("CUT")
		k.server.CutWatches(watchtest.Selector{}, watchtest.Abort)
		k.forgetAll()
	}
	if k.has(rolledBack) && k.rand.IntN(12) == 0 {
		k.goBack()
		k.pass(15 * time.Minute) // a whole watch without a frame, until it is noticed: see meanwhile
		k.floor = k.server.Revision()
	}
}

func (k *killed) forgetAll() {
	k.say("COMPACT")
	k.compact()
	k.floor = k.server.Revision()
}

func (k *killed) goBack() {
	n := min(k.rand.Uint64N(6), k.server.Revision()-k.floor)
	k.say("ROLLBACK by %d", n)
	k.rollback(n)
}

// oneHappens creates, deletes or changes one object. Some of it is two things at
// once: a name that is used again, or an object that leaves what is selected and
// comes back, which nobody may ever see.
func (k *killed) oneHappens() {
	namespaces := k.namespaces()
	namespace, name := namespaces[k.rand.IntN(len(namespaces))], modelNames[k.rand.IntN(len(modelNames))]
	_, err := k.server.Get(pods, namespace, name)
	switch what := k.rand.IntN(10); {
	case err != nil:
		k.born(namespace, name)
	case what < 2:
		k.gone(namespace, name)
	case what == 2:
		k.gone(namespace, name)
		k.born(namespace, name)
	case what == 3:
		k.moved(namespace, name, "y")
		k.moved(namespace, name, "x")
	case what == 4:
		k.say("TOUCH %s/%s v%s", namespace, name, k.touch(pods, namespace, name, fmt.Sprint(k.rand.IntN(1000))).ResourceVersion)
	default:
		k.moved(namespace, name, k.someNode())
	}
}

func (k *killed) someNode() string { return string("xy"[k.rand.IntN(2)]) }

func (k *killed) born(namespace, name string) {
	node := k.someNode()
	o := k.create(pods, namespace, name, onNode(node))
	k.say("CREATE %s/%s %.4s v%s on %s", namespace, name, o.UID, o.ResourceVersion, node)
}

func (k *killed) gone(namespace, name string) {
	k.say("DELETE %s/%s", namespace, name)
	k.delete(pods, namespace, name)
}

// moved tells moves within the filter apart; the selector knows one node only.
func (k *killed) moved(namespace, name, node string) {
	if !k.has(selects) {
		node += fmt.Sprint(k.rand.IntN(1000))
	}
	o, err := k.server.Patch(pods, namespace, name, fmt.Sprintf(`{"spec":{"nodeName":%q}}`, node))
	if err != nil {
		k.Fatal(err)
	}
	k.say("MOVE %s/%s v%s to %s", namespace, name, o.ResourceVersion, node)
}

// objects are those of the server that the agent selects, by name.
func (k *killed) objects() map[string]known {
	k.Helper()
	all := map[string]known{}
	for _, namespace := range k.namespaces() {
		for _, name := range modelNames {
			o, err := k.server.Get(pods, namespace, name)
			if err != nil {
				continue
			}
			var p pod
			if err := json.Unmarshal(o.JSON, &p); err != nil {
				k.Fatal(err)
			}
			if key := namespace + "/" + name; !k.has(selects) || p.Spec.NodeName == "x" {
				all[key] = known{key, o.UID, o.ResourceVersion, p.Spec.NodeName}
			}
		}
	}
	return all
}
