package decode

import (
	"testing"
)

const noMeta = `{Kind: APIVersion: ResourceVersion: Continue: RemainingItemCount:-1}`

// listCases are bodies of lists; each is read in all chunkings. The last line
// but one is the list's metadata where the end is clean.
var listCases = []struct {
	name, body string
	want       []string
}{
	{
		name: "two pods",
		body: `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"tok","remainingItemCount":9007199254740993},"items":[{"metadata":{"name":"a","namespace":"edge"}},{"metadata":{"name":"b","uid":"u"}}]}` + "\n",
		want: []string{
			`v=v1 k=Pod ns=edge n=a {"metadata":{"name":"a","namespace":"edge"}}`,
			`v=v1 k=Pod n=b u=u {"metadata":{"name":"b","uid":"u"}}`,
			`{Kind:PodList APIVersion:v1 ResourceVersion:7 Continue:tok RemainingItemCount:9007199254740993}`, "EOF",
		},
	},
	{
		name: "items before everything else",
		body: `{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"7"},"apiVersion":"v1","kind":"PodList"}`,
		want: []string{
			`n=a {"metadata":{"name":"a"}}`,
			`{Kind:PodList APIVersion:v1 ResourceVersion:7 Continue: RemainingItemCount:-1}`, "EOF",
		},
	},
	{
		name: "pretty-printed",
		body: "\n{\n \"kind\" : \"PodList\" ,\n \"items\" : [\n {\n \"metadata\" : { \"name\" : \"a\" } } \n , \n { } \n ] \n , \"metadata\" : { \"resourceVersion\" : \"7\" } \n}\n\n",
		want: []string{
			"k=Pod n=a {\n \"metadata\" : { \"name\" : \"a\" } }", "k=Pod { }",
			`{Kind:PodList APIVersion: ResourceVersion:7 Continue: RemainingItemCount:-1}`, "EOF",
		},
	},
	{name: "items empty", body: `{"kind":"PodList","items":[]}`, want: []string{`{Kind:PodList APIVersion: ResourceVersion: Continue: RemainingItemCount:-1}`, "EOF"}},
	{name: "items null", body: `{"items":null}`, want: []string{noMeta, "EOF"}},
	{name: "items null, then given", body: `{"items":null,"items":[{}]}`, want: []string{`{}`, noMeta, "EOF"}},
	{name: "no items", body: `{"kind":"PodList"}`, want: []string{`{Kind:PodList APIVersion: ResourceVersion: Continue: RemainingItemCount:-1}`, "EOF"}},
	{name: "metadata null", body: `{"metadata":null,"items":[ ]}`, want: []string{noMeta, "EOF"}},
	{
		name: "nulls in the metadata",
		body: `{"kind":null,"apiVersion":null,"metadata":{"resourceVersion":null,"continue":null,"remainingItemCount":null},"items":[]}`,
		want: []string{noMeta, "EOF"},
	},
	{
		name: "the last of equal names wins",
		body: `{"kind":"X","kind":"PodList","metadata":{"continue":"no"},"metadata":{"resourceVersion":"6","resourceVersion":"7"},"items":[]}`,
		want: []string{`{Kind:PodList APIVersion: ResourceVersion:7 Continue: RemainingItemCount:-1}`, "EOF"},
	},
	{
		name: "escaped names",
		body: `{"k\u0069nd":"Po\u0064List","\u0069tems":[{"m\u0065tadata":{"n\u0061me":"\u0061"}}],"metad\u0061ta":{"r\u0065sourceVersion":"\u0037"}}`,
		want: []string{
			`k=Pod n=a {"m\u0065tadata":{"n\u0061me":"\u0061"}}`,
			`{Kind:PodList APIVersion: ResourceVersion:7 Continue: RemainingItemCount:-1}`, "EOF",
		},
	},
	{
		name: "members nobody knows",
		body: `{"x":{"items":[{}]},"items":[],"y":[[1,2],{"metadata":{}}],"status":{"a":1},"code":[],"details":4}`,
		want: []string{noMeta, "EOF"},
	},
	{
		name: "items that say what they are",
		body: `{"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","metadata":{"name":"a"}},{"apiVersion":"apps/v1","metadata":{"name":"b"}}]}`,
		want: []string{
			`v=v1 k=Pod n=a {"kind":"Pod","metadata":{"name":"a"}}`,
			`v=apps/v1 n=b {"apiVersion":"apps/v1","metadata":{"name":"b"}}`,
			`{Kind:List APIVersion:v1 ResourceVersion: Continue: RemainingItemCount:-1}`, "EOF",
		},
	},
	{
		name: "bad items between good ones",
		body: `{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":5,"namespace":"edge"}},null,[],"x",7,{"metadata":{"name":"c"}}]}`,
		want: []string{
			`n=a {"metadata":{"name":"a"}}`,
			`ns=edge {"metadata":{"name":5,"namespace":"edge"}} | object edge/ @56: metadata.name is a number, want a string`,
			`null | object  @79:  is null, want an object`,
			`[] | object  @84:  is an array, want an object`,
			`"x" | object  @87:  is a string, want an object`,
			`7 | object  @91:  is a number, want an object`,
			`n=c {"metadata":{"name":"c"}}`,
			noMeta, "EOF",
		},
	},
	{
		name: "a Status, pretty-printed",
		body: "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"continue\": \"tok\"\n  },\n  \"status\": \"Failure\",\n  \"reason\": \"Expired\",\n  \"code\": 410\n}\n",
		want: []string{"status 410 Expired"},
	},
	{name: "a Status that says so last", body: `{"code":403,"reason":"Forbidden","kind":"Status"}`, want: []string{"status 403 Forbidden"}},
	{name: "a Status with bad members", body: `{"kind":"Status","metadata":5,"code":"x","reason":"Forbidden","items":null}`, want: []string{"status 0 Forbidden"}},
	{name: "one object", body: `{"kind":"Pod","metadata":{"name":"a"}}`, want: []string{`no list @0: "Pod" nothing`}},
	{name: "an empty object", body: `{}`, want: []string{`no list @0: "" nothing`}},
	{name: "items no array", body: `{"items":{"a":[]},"kind":"PodList"}`, want: []string{`no list @9: "PodList" an object`}},
	{name: "metadata no object", body: `{"metadata":5,"items":[{}]}`, want: []string{`{}`, `object  @12: metadata is a number, want an object`}},
	{
		name: "version no string",
		body: `{"metadata":{"continue":"x","resourceVersion":7,"remainingItemCount":1.5},"items":[]}`,
		want: []string{`object  @46: metadata.resourceVersion is a number, want a string`},
	},
	{name: "count no integer", body: `{"metadata":{"remainingItemCount":1.5},"items":[]}`, want: []string{`object  @34: metadata.remainingItemCount is a number, want an integer`}},
	{name: "items twice", body: `{"items":[{}],"items":[{}]}`, want: []string{`{}`, `syntax @22: a second "items", want one`}},
	{name: "items, then null", body: `{"items":[{}],"items":null}`, want: []string{`{}`, `syntax @22: a second "items", want one`}},
	{name: "items, then a number", body: `{"items":[],"items":5}`, want: []string{`syntax @20: a second "items", want one`}},
	{name: "a number, then items", body: `{"items":5,"items":[{}]}`, want: []string{`{}`, noMeta, "EOF"}},
	{name: "empty body", body: ``, want: []string{`stream @0 -0: unexpected EOF`}},
	{name: "blank body", body: "\n", want: []string{`stream @1 -0: unexpected EOF`}},
	{name: "html", body: `<html>`, want: []string{`syntax @0: "<html>", want a list`}},
	{name: "an array", body: `[{}]`, want: []string{`syntax @0: '[', want a list`}},
	{name: "ends between items", body: `{"items":[{},`, want: []string{`{}`, `stream @13 -0: unexpected EOF`}},
	{name: "ends inside an item", body: `{"items":[{},{"a":1`, want: []string{`{}`, `stream @19 -6: unexpected EOF`}},
	{name: "ends inside a number, perhaps", body: `{"items":[{},12`, want: []string{`{}`, `stream @15 -2: unexpected EOF`}},
	{name: "ends inside a member's number, perhaps", body: `{"code":12`, want: []string{`stream @10 -9: unexpected EOF`}},
	{name: "ends after the items", body: `{"items":[{}]`, want: []string{`{}`, `stream @13 -0: unexpected EOF`}},
	{name: "ends inside a name", body: `{"items":[{}],"metad`, want: []string{`{}`, `stream @20 -7: unexpected EOF`}},
	{name: "comma missing between items", body: `{"items":[{} {}]}`, want: []string{`{}`, `syntax @13: '{', want ',' or ']'`}},
	{name: "comma too many", body: `{"items":[{},]}`, want: []string{`{}`, `syntax @13: ']', want a value`}},
	{name: "comma missing between members", body: `{"items":[{}]"kind":"X"}`, want: []string{`{}`, `syntax @13: a string, want ',' or '}'`}},
	{name: "comma before the end", body: `{"items":[{}],}`, want: []string{`{}`, `syntax @14: '}', want a member's name`}},
	{name: "wrong bracket", body: `{"items":[{}}`, want: []string{`{}`, `syntax @12: '}', want ',' or ']'`}},
	{name: "something after the list", body: `{"items":[{}]} {`, want: []string{`{}`, `syntax @15: '{', want the end`}},
}

func TestList(t *testing.T) {
	for _, c := range listCases {
		t.Run(c.name, func(t *testing.T) { sameHowever(t, c.body, c.want, listTranscript) })
	}
}

// TestListTrailing: white space behind a list is nothing, anything else makes
// it suspect, even though its items were good.
func TestListTrailing(t *testing.T) {
	for _, c := range listCases {
		n := len(c.want)
		if c.want[n-1] != "EOF" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			sameHowever(t, c.body+" \r\n\t", c.want, listTranscript)
			end := &SyntaxError{Offset: int64(len(c.body)), Found: "']'", Want: "the end"}
			sameHowever(t, c.body+"]", append(append([]string{}, c.want[:n-2]...), errorLine(end)), listTranscript)
		})
	}
}

// TestListMetaBefore: what came before the items is known while they come.
func TestListMetaBefore(t *testing.T) {
	l := NewListReader(bytesReader(`{"kind":"PodList","metadata":{"resourceVersion":"7","remainingItemCount":3},"items":[{},{}]}`), Options{})
	defer l.Close()
	if _, err := l.Next(); err != nil {
		t.Fatal(err)
	}
	if m := l.Meta(); m.ResourceVersion != "7" || m.RemainingItemCount != 3 {
		t.Errorf("%+v", m)
	}
}
