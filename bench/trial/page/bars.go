package page

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// cpuPerJob shows what each phase of the job life costs, on a scale of
// logarithms: a dot for each, since bars have no foot there.
func cpuPerJob(p *plot.Plot, r trial.Report) (some bool, err error) {
	i := slices.IndexFunc(r.Jobs, func(j trial.JobResult) bool { return j.Name == "life" })
	if i < 0 {
		return false, nil
	}
	var names []string
	var rows []trial.ContestantResult
	for _, c := range slices.Backward(r.Jobs[i].Contestants) { // the first on top
		if len(c.Runs) > 0 {
			names, rows = append(names, c.Name), append(rows, c)
		}
	}
	if len(rows) == 0 {
		return false, nil
	}
	p.X.Label.Text = "CPU seconds, user and system"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.NominalY(names...)
	for n, phase := range []column{
		{"sync_cpu_s", "first sync"}, {"churn_cpu_s_per_1000", "1,000 changes"}, {"relist_cpu_s", "relist after 410"},
	} {
		var points plotter.XYs
		for y, c := range rows {
			if s, ok := c.Summary(phase.figure); ok && s.Median > 0 {
				points = append(points, plotter.XY{X: s.Median, Y: float64(y)})
			}
		}
		if len(points) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return some, err
		}
		dots.Shape = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}[n]
		dots.Radius, dots.Color = vg.Points(4), phaseColors[n]
		p.Add(dots)
		p.Legend.Add(phase.title, dots)
		some = true
	}
	p.Legend.Top = true
	return some, nil
}

var phaseColors = []color.Color{
	color.RGBA{0x1f, 0x77, 0xb4, 0xff}, color.RGBA{0xd6, 0x27, 0x28, 0xff}, color.RGBA{0x2c, 0xa0, 0x2c, 0xff},
}
