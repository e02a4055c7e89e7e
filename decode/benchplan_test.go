package decode

import "testing"

// What it takes to fill a T from one pod of 8 KB in JSON, 5.5 KB in protobuf.

func BenchmarkPlanFive(b *testing.B) { planBench[five](b) }

// BenchmarkPlanContainers goes into lists.
func BenchmarkPlanContainers(b *testing.B) {
	planBench[struct {
		Metadata Identity `json:"metadata"`
		Spec     struct {
			Containers []struct {
				Name  string `json:"name"`
				Image string `json:"image"`
			} `json:"containers"`
		} `json:"spec"`
	}](b)
}

// BenchmarkPlanLabels makes a map; BenchmarkPlanLabel takes one entry of it.
func BenchmarkPlanLabels(b *testing.B) {
	planBench[struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}](b)
}

func BenchmarkPlanLabel(b *testing.B) {
	planBench[struct {
		Metadata struct {
			Labels struct {
				App string `json:"app"`
			} `json:"labels"`
		} `json:"metadata"`
	}](b)
}

func planBench[T any](b *testing.B) {
	p := planFor[T](b)
	for name, file := range map[string]string{"json": "pod.json", "protobuf": "pod.pb"} {
		object := testFile(b, file)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(object)))
			b.ReportAllocs()
			var v T
			for b.Loop() {
				if err := p.Decode(object, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkToJSON(b *testing.B) {
	pod := testFile(b, "pod.pb")
	b.SetBytes(int64(len(pod)))
	b.ReportAllocs()
	var text []byte
	for b.Loop() {
		var err error
		if text, err = ToJSON(text[:0], pod); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanMetaProtobuf(b *testing.B) {
	pod := testFile(b, "pod.pb")
	b.SetBytes(int64(len(pod)))
	b.ReportAllocs()
	var m Meta
	for b.Loop() {
		if err := ScanMeta(pod, &m); err != nil {
			b.Fatal(err)
		}
	}
}
