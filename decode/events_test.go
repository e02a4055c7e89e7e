package decode

import "testing"

// watchCases are bodies of watches; each is read in all chunkings.
var watchCases = []struct {
	name, body string
	want       []string // without the end
	end        string   // "" is a clean end
}{
	{name: "empty"},
	{name: "blank lines only", body: "\n \r\n\t\n"},
	{
		name: "one frame",
		body: `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"edge","name":"a","uid":"u1","resourceVersion":"5"}}}` + "\n",
		want: []string{`ADDED v=v1 k=Pod ns=edge n=a u=u1 rv=5 {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"edge","name":"a","uid":"u1","resourceVersion":"5"}}`},
	},
	{
		name: "back to back",
		body: `{"type":"ADDED","object":{"metadata":{"name":"a"}}}{"type":"DELETED","object":{"metadata":{"name":"a"}}}`,
		want: []string{`ADDED n=a {"metadata":{"name":"a"}}`, `DELETED n=a {"metadata":{"name":"a"}}`},
	},
	{
		name: "blank lines between",
		body: "\n\n" + `{"type":"ADDED","object":{}}` + "\r\n\r\n \t" + `{"type":"MODIFIED","object":{}}` + "\n\n",
		want: []string{`ADDED {}`, `MODIFIED {}`},
	},
	{
		name: "pretty-printed",
		body: "{\n  \"type\": \"ADDED\",\n  \"object\": {\n    \"metadata\": {\n      \"name\" : \"a\"\n    },\n    \"l\": [ ],\n    \"o\" : { }\n  }\n}\n",
		want: []string{"ADDED n=a {\n    \"metadata\": {\n      \"name\" : \"a\"\n    },\n    \"l\": [ ],\n    \"o\" : { }\n  }"},
	},
	{
		name: "object before type",
		body: `{"object":{"metadata":{"name":"a"}},"type":"MODIFIED"}`,
		want: []string{`MODIFIED n=a {"metadata":{"name":"a"}}`},
	},
	{
		name: "members nobody knows",
		body: `{"x":[{"type":"DELETED"}],"type":"ADDED","y":{"object":{}},"object":{"z":{"metadata":{"name":"no"}},"metadata":{"q":{"name":"no"},"name":"a"}},"w":-1.5e+3}`,
		want: []string{`ADDED n=a {"z":{"metadata":{"name":"no"}},"metadata":{"q":{"name":"no"},"name":"a"}}`},
	},
	{
		name: "last of equal names wins",
		body: `{"type":"ADDED","type":"MODIFIED","object":{"metadata":{"name":"no","uid":"no"}},"object":{"metadata":{"uid":"no"},"metadata":{"name":"b","name":"a"}}}`,
		want: []string{`MODIFIED n=a {"metadata":{"uid":"no"},"metadata":{"name":"b","name":"a"}}`},
	},
	{
		name: "the last wins even over a bad one",
		body: `{"type":5,"object":7,"type":"ADDED","object":{"metadata":{"name":5,"name":"a"}}}`,
		want: []string{`ADDED n=a {"metadata":{"name":5,"name":"a"}}`},
	},
	{
		name: "nulls",
		body: `{"type":"ADDED","object":{"kind":null,"metadata":{"namespace":null,"name":"a","uid":null,"annotations":null}}}{"type":"ADDED","object":{"metadata":null}}`,
		want: []string{`ADDED n=a {"kind":null,"metadata":{"namespace":null,"name":"a","uid":null,"annotations":null}}`, `ADDED {"metadata":null}`},
	},
	{
		name: "escapes in names and values",
		body: `{"typ\u0065":"ADDE\u0044","\u006fbject":{"m\u0065tadata":{"\u006eame":"\u0061\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","uid":"\u0075"}}}`,
		want: []string{"ADDED n=a\"\\/\b\f\n\r\t\u00e9\U0001f600 u=u " + `{"m\u0065tadata":{"\u006eame":"\u0061\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","uid":"\u0075"}}`},
	},
	{
		name: "names are case-sensitive",
		body: `{"type":"ADDED","object":{"Metadata":{"name":"no"},"metadata":{"Name":"no","name":"a","UID":"no"}}}`,
		want: []string{`ADDED n=a {"Metadata":{"name":"no"},"metadata":{"Name":"no","name":"a","UID":"no"}}`},
	},
	{
		name: "invalid UTF-8 and lone surrogates",
		body: `{"type":"ADDED","object":{"x":"` + "\xff\xfe" + `","metadata":{"name":"a` + "\xff" + `","uid":"\ud800x\udc00"}}}`,
		want: []string{"ADDED n=a\xff u=\ufffdx\ufffd " + `{"x":"` + "\xff\xfe" + `","metadata":{"name":"a` + "\xff" + `","uid":"\ud800x\udc00"}}`},
	},
	{
		name: "bookmark is metadata only",
		body: `{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"12746","creationTimestamp":null},"spec":{"containers":null}}}`,
		want: []string{`BOOKMARK k=Pod rv=12746 {"kind":"Pod","metadata":{"resourceVersion":"12746","creationTimestamp":null},"spec":{"containers":null}}`},
	},
	{
		name: "end of the initial events",
		body: `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"a":"b","k8s.io/initial-events-end":"true"},"resourceVersion":"7"}}}`,
		want: []string{`BOOKMARK rv=7 end {"metadata":{"annotations":{"a":"b","k8s.io/initial-events-end":"true"},"resourceVersion":"7"}}`},
	},
	{
		name: "not the end of the initial events",
		body: `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"false"}}}}` +
			`{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":true}}}}` +
			`{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"annotations":{}}}}` +
			`{"type":"BOOKMARK","object":{"metadata":{"labels":{"k8s.io/initial-events-end":"true"}},"annotations":{"k8s.io/initial-events-end":"true"}}}`,
		want: []string{
			`BOOKMARK {"metadata":{"annotations":{"k8s.io/initial-events-end":"false"}}}`,
			`BOOKMARK {"metadata":{"annotations":{"k8s.io/initial-events-end":true}}}`,
			`BOOKMARK {"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"annotations":{}}}`,
			`BOOKMARK {"metadata":{"labels":{"k8s.io/initial-events-end":"true"}},"annotations":{"k8s.io/initial-events-end":"true"}}`,
		},
	},
	{
		name: "expired",
		body: `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 300 (80402)","reason":"Expired","code":410}}`,
		want: []string{`ERROR {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 300 (80402)","reason":"Expired","code":410} | status 410 Expired`},
	},
	{
		name: "errors that say little",
		body: `{"type":"ERROR","object":null}{"type":"ERROR"}{"type":"ERROR","object":{"code":"410","reason":"Gone"}}`,
		want: []string{`ERROR null | status 0 `, `ERROR  | status 0 `, `ERROR {"code":"410","reason":"Gone"} | status 0 Gone`},
	},
	{
		name: "a Status where a frame should be",
		body: "{\n  \"kind\": \"Status\",\n  \"code\": 403,\n  \"reason\": \"Forbidden\"\n}",
		want: []string{"ERROR {\n  \"kind\": \"Status\",\n  \"code\": 403,\n  \"reason\": \"Forbidden\"\n} | status 403 Forbidden"},
	},
	{
		name: "a type of tomorrow",
		body: `{"type":"RENAMED","object":{"metadata":{"name":"a"}}}`,
		want: []string{`RENAMED n=a {"metadata":{"name":"a"}}`},
	},
	{
		name: "a bad object between two good ones",
		body: `{"type":"ADDED","object":{"metadata":{"name":"a"}}}` + "\n" +
			`{"type":"ADDED","object":{"metadata":{"name":5,"namespace":"edge","resourceVersion":"9"}}}` + "\n" +
			`{"type":"ADDED","object":{"metadata":{"name":"c"}}}` + "\n",
		want: []string{
			`ADDED n=a {"metadata":{"name":"a"}}`,
			`ADDED ns=edge rv=9 {"metadata":{"name":5,"namespace":"edge","resourceVersion":"9"}} | object edge/ @97: metadata.name is a number, want a string`,
			`ADDED n=c {"metadata":{"name":"c"}}`,
		},
	},
	{
		name: "all that can be wrong with an object",
		body: `{"type":"ADDED","object":{"kind":["Pod"],"metadata":{"name":"a"}}}` +
			`{"type":"ADDED","object":{"metadata":[1]}}` +
			`{"type":"ADDED","object":{"metadata":{"name":"a","annotations":"x"}}}` +
			`{"type":"ADDED","object":[{"metadata":{"name":"a"}}]}` +
			`{"type":"ADDED","object":null}` +
			`{"type":"ADDED"}` +
			`{"type":"ADDED","object":{"metadata":{"name":"a","uid":true,"resourceVersion":{}}}}`,
		want: []string{
			`ADDED n=a {"kind":["Pod"],"metadata":{"name":"a"}} | object a @33: kind is an array, want a string`,
			`ADDED {"metadata":[1]} | object  @103: metadata is an array, want an object`,
			`ADDED n=a {"metadata":{"name":"a","annotations":"x"}} | object a @171: metadata.annotations is a string, want an object`,
			`ADDED [{"metadata":{"name":"a"}}] | object  @202: ` + ` is an array, want an object`,
			`ADDED null | object  @255: ` + ` is null, want an object`,
			`ADDED  | object  @260: ` + ` is nothing, want an object`,
			`ADDED n=a {"metadata":{"name":"a","uid":true,"resourceVersion":{}}} | object a @331: metadata.uid is a boolean, want a string`,
		},
	},
	{name: "html", body: "<html><body>502</body></html>", end: `syntax @0: "<html>", want a watch event`},
	{name: "html after a line", body: "\n<!DOCTYPE html>", end: `syntax @1: "<!DOCTYPE", want a watch event`},
	{name: "text", body: "upstream connect error", end: `syntax @0: "upstream", want a watch event`},
	{name: "another value", body: ` ["x"]`, end: `syntax @1: '[', want a watch event`},
	{name: "compressed", body: "\x1f\x8b\x08", end: `syntax @0: compressed data, want a watch event`},
	{name: "no frame", body: `{"kind":"Pod","metadata":{}}`, end: `syntax @0: an object without type and object, want a watch event`},
	{name: "type of the wrong type", body: `{"type":5,"object":{}}`, end: `syntax @8: a number, want a watch event's "type", a string`},
	{name: "no type", body: ` {"object":{}}`, end: `syntax @1: nothing, want a watch event's "type", a string`},
	{
		name: "garbage after a frame",
		body: `{"type":"ADDED","object":{}}` + "\n" + `s3cret`,
		want: []string{`ADDED {}`},
		end:  `syntax @29: a stray character, want a watch event`,
	},
	{name: "ends inside a frame", body: `{"type":"ADDED","object":{}}{"type":"ADD`, want: []string{`ADDED {}`}, end: `stream @40 -12: unexpected EOF`},
	{name: "ends before the last brace", body: `{"type":"ADDED","object":{}`, end: `stream @27 -27: unexpected EOF`},
	{name: "comma missing", body: `{"type":"ADDED" "object":{}}`, end: `syntax @16: a string, want ',' or '}'`},
	{name: "comma too many", body: `{"type":"ADDED",}`, end: `syntax @16: '}', want a member's name`},
	{name: "brackets crossed", body: `{"type":"ADDED","object":{"a":[1}]}`, end: `syntax @32: '}', want ',' or ']'`},
	{name: "brace for bracket", body: `{"type":"ADDED","object":{"a":{"b":1]}}`, end: `syntax @36: ']', want ',' or '}'`},
	{name: "control character in a string", body: "{\"type\":\"AD\nDED\"}", end: `syntax @11: a control character, want the rest of a string`},
	{name: "bad escape", body: `{"type":"\x41"}`, end: `syntax @10: a stray character, want an escape sequence`},
	{name: "bad digits of an escape", body: `{"type":"\u00g0"}`, end: `syntax @13: a stray character, want four hexadecimal digits`},
	{name: "bad number", body: `{"a":[01]}`, end: `syntax @7: a number, want ',' or ']'`},
	{name: "bad literal", body: `{"a":nul}`, end: `syntax @8: '}', want the rest of null`},
	{name: "bare word", body: `{"a":yes}`, end: `syntax @5: a stray character, want a value`},
}

func TestWatch(t *testing.T) {
	for _, c := range watchCases {
		t.Run(c.name, func(t *testing.T) {
			sameHowever(t, c.body, append(append([]string{}, c.want...), orEOF(c.end)), watchTranscript)
		})
	}
}

// TestWatchTrailing puts another frame, and then garbage, behind each body
// that ends well: what was read before must not change.
func TestWatchTrailing(t *testing.T) {
	const frame = `{"type":"DELETED","object":{"metadata":{"name":"z"}}}`
	for _, c := range watchCases {
		if c.end != "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			want := append(append([]string{}, c.want...), `DELETED n=z {"metadata":{"name":"z"}}`)
			sameHowever(t, c.body+frame, append(want, "EOF"), watchTranscript)
			at := len(c.body) + len(frame)
			sameHowever(t, c.body+frame+"]", append(want, errorLine(&SyntaxError{Offset: int64(at), Found: "']'", Want: "a watch event"})), watchTranscript)
		})
	}
}

func orEOF(end string) string {
	if end == "" {
		return "EOF"
	}
	return end
}
