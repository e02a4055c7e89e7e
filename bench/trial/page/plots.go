package page

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// plotted is a plot that was drawn.
type plotted struct{ file, title string }

const width, height = 22 * vg.Centimeter, 12 * vg.Centimeter

// drawAll draws each plot that has anything to show.
func drawAll(folder string, r trial.Report) ([]plotted, error) {
	var drawn []plotted
	for _, p := range []struct {
		file, title string
		draw        func(*plot.Plot, trial.Report) (bool, error)
	}{
		{"memory.svg", "Resident memory over the first sync, changes, and a relist", memoryOverTime},
		{"cpu.svg", "CPU seconds", cpuPerJob},
		{"scale-memory.svg", "Peak memory of the first sync by number of objects", scale("sync_peak_mb", "peak RSS, MB")},
		{"scale-cpu.svg", "CPU of the first sync by number of objects", scale("sync_cpu_s", "CPU, s")},
		{"latency.svg", "Latency: the share of events that came within", latency},
	} {
		canvas := plot.New()
		canvas.Title.Text = p.title
		canvas.Add(plotter.NewGrid())
		some, err := p.draw(canvas, r)
		if err != nil {
			return drawn, err
		}
		path := filepath.Join(folder, p.file)
		if !some { // an earlier report's would be taken for this one's
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return drawn, err
			}
			continue
		}
		if err := canvas.Save(width, height, path); err != nil {
			return drawn, err
		}
		drawn = append(drawn, plotted{p.file, p.title})
	}
	return drawn, nil
}

// memoryOverTime shows the series of the job life.
func memoryOverTime(p *plot.Plot, r trial.Report) (some bool, err error) {
	p.X.Label.Text, p.Y.Label.Text = "seconds", "RSS, MB"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	for _, j := range r.Jobs {
		for _, c := range j.Contestants {
			for _, run := range c.Runs {
				points := positive(run.Series["rss_mb"])
				if len(points) < 2 {
					continue
				}
				if err := addLine(p, c.Name, points); err != nil {
					return some, err
				}
				some = true
			}
		}
	}
	legend(p, true)
	return some, nil
}

// scale shows a figure of the group sync by the jobs' sizes.
func scale(figure, label string) func(*plot.Plot, trial.Report) (bool, error) {
	return func(p *plot.Plot, r trial.Report) (bool, error) {
		p.X.Label.Text, p.Y.Label.Text = "objects", label
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		names, lines := byName(r, figure)
		sizes := 0
		for _, name := range names {
			if err := addLine(p, name, lines[name]); err != nil {
				return false, err
			}
			sizes = max(sizes, len(lines[name]))
		}
		legend(p, true)
		return sizes > 1, nil
	}
}

// byName gathers the medians of a figure over the jobs of the group sync.
func byName(r trial.Report, figure string) (names []string, lines map[string]plotter.XYs) {
	lines = map[string]plotter.XYs{}
	for _, j := range r.Jobs {
		if j.Group != "sync" {
			continue
		}
		for _, c := range j.Contestants {
			s, ok := c.Summary(figure)
			if !ok || s.Median <= 0 {
				continue
			}
			if lines[c.Name] == nil {
				names = append(names, c.Name)
			}
			lines[c.Name] = append(lines[c.Name], plotter.XY{X: float64(j.Size), Y: s.Median})
		}
	}
	return names, lines
}

// latency shows the distributions, the mean of each percentile over the runs.
func latency(p *plot.Plot, r trial.Report) (some bool, err error) {
	p.X.Label.Text, p.Y.Label.Text = "milliseconds", "percent of the events"
	for _, j := range r.Jobs {
		for _, c := range j.Contestants {
			points := meanOf(c.Runs, "latency_ms_by_percent")
			if len(points) < 2 {
				continue
			}
			if err := addLine(p, c.Name, points); err != nil {
				return some, err
			}
			some = true
		}
	}
	legend(p, false)
	return some, nil
}

// meanOf turns values by percent into percent by mean value, without the last
// percent, whose few events would make all else small.
func meanOf(runs []trial.Outcome, series string) plotter.XYs {
	var points plotter.XYs
	for percent := range 99 {
		sum, n := 0.0, 0
		for _, run := range runs {
			if s := run.Series[series]; percent < len(s) {
				sum += s[percent].Value
				n++
			}
		}
		if n > 0 {
			points = append(points, plotter.XY{X: sum / float64(n), Y: float64(percent + 1)})
		}
	}
	return points
}

// positive are the points that a logarithm has.
func positive(series []trial.Point) plotter.XYs {
	var points plotter.XYs
	for _, p := range series {
		if p.Value > 0 {
			points = append(points, plotter.XY{X: p.At, Y: p.Value})
		}
	}
	return points
}
