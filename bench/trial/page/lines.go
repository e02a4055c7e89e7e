package page

import (
	"hash/fnv"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// addLine adds a line, and a word in the legend.
func addLine(p *plot.Plot, name string, points plotter.XYs) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Width = vg.Points(1.2)
	line.Color, line.Dashes = style(name)
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

// legend puts the legend where the lines are not.
func legend(p *plot.Plot, left bool) {
	p.Legend.Top, p.Legend.Left = left, left
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	p.Legend.ThumbnailWidth = vg.Points(28)
}

// families have a colour each, so that a plot is read at a glance: all of
// rawwatch are blue, all of client-go red.
var families = []struct {
	prefix string
	shades []color.Color
}{
	{"rawwatch", []color.Color{
		color.RGBA{0x08, 0x30, 0x6b, 0xff}, color.RGBA{0x21, 0x71, 0xb5, 0xff}, color.RGBA{0x4b, 0xa3, 0xe3, 0xff}, color.RGBA{0x17, 0xbe, 0xcf, 0xff}, color.RGBA{0x5a, 0x5a, 0xd6, 0xff},
	}},
	{"client-go", []color.Color{
		color.RGBA{0xa5, 0x0f, 0x15, 0xff}, color.RGBA{0xfb, 0x6a, 0x4a, 0xff}, color.RGBA{0xe3, 0x77, 0xc2, 0xff}, color.RGBA{0xd9, 0x8c, 0x1a, 0xff},
	}},
	{"controller-runtime", []color.Color{color.RGBA{0x2c, 0xa0, 0x2c, 0xff}}},
	{"ericchiang", []color.Color{color.RGBA{0x8c, 0x56, 0x4b, 0xff}}},
	{"kubectl", []color.Color{color.RGBA{0x7f, 0x7f, 0x7f, 0xff}}},
}

// style is a contestant's colour and dashes, the same in all plots.
func style(name string) (color.Color, []vg.Length) {
	shade, dash := paint(name)
	if dash == 0 {
		return shade, nil
	}
	return shade, []vg.Length{vg.Points(float64(2 + 3*(dash-1))), vg.Points(2)}
}

// known gives the contestants their places in their families' shades.
var known = map[string]int{
	"rawwatch raw": 0, "rawwatch JSON struct": 1, "rawwatch protobuf struct": 2, "rawwatch metadata": 3, "rawwatch protobuf struct, checkpoint": 4,
	"client-go typed": 0, "client-go typed, SetTransform": 1, "client-go dynamic": 2, "client-go metadata": 3,
}

func paint(name string) (shade color.Color, dash int) {
	place, ok := known[name]
	if !ok {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(name))
		place = int(sum.Sum32() % 97)
	}
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) {
			place %= len(f.shades)
			return f.shades[place], place % 3
		}
	}
	return color.Black, place % 3
}
