// SPDX-License-Identifier: GPL-3.0-or-later
// chart_bench [POINTS [FRAMES]]: frames of live charts that grow while they are moved and zoomed, drawn by the
// processor into memory: 8 series of a million points each (default), in one chart and in a page of charts; then a page
// of 6 charts with the smoothed and raw lines of 8 runs of a tenth of the points; each with whole runs in view, then
// moved; last with only the cursor moving.
#include <QtCore/QElapsedTimer>
#include <QtWidgets/QApplication>
#include <QtWidgets/QGridLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <optional>
#include <random>

#include "tests/bench/bench_support.h"
#include "ui/charts/series_chart.h"

namespace batchwise {
namespace {

constexpr int kSeries = 8;
constexpr int kRowsPerFrame = 20;
constexpr double kSmoothed = 50;  // rows of the moving average

/// Noise around a falling curve, with spikes and gaps, over tokens that do not come evenly.
class Source {
 public:
  explicit Source(int points, unsigned seed = 1) : random_(seed) {
    for (int i = 0; i < points; ++i) grow();
  }
  void grow() {
    const auto batch = static_cast<double>(++rows_);
    tokens_ += 30'000 + static_cast<double>(random_() % 5000);
    clock_.append(batch, tokens_);
    for (int i = 0; i < kSeries; ++i) {
      double y = 2 + i + 8 / (1 + batch / 2e4) + noise_(random_) * 0.3;
      if (random_() % 50'000 == 0) y += 30;
      if (random_() % 100'000 == 0) y = std::nan("");
      const auto line = static_cast<std::size_t>(i);
      lines_[line].append(batch, y);
      if (std::isfinite(y)) mean_[line] = rows_ == 1 ? y : mean_[line] + (y - mean_[line]) / kSmoothed;
      smoothed_[line].append(batch, mean_[line]);
    }
  }

  /// All lines, or one of them.
  ChartContent content(int first, int count) const {
    ChartContent content;
    const auto map = std::make_shared<const XAxisMap>(clock_);
    content.xAxis = XAxis::Tokens;
    content.dataEnd = content.xHigh = tokens_;
    for (int i = first; i < first + count; ++i) {
      ChartLine line;
      line.name = QStringLiteral("series %1").arg(i);
      line.color = i;
      line.points = lines_[static_cast<std::size_t>(i)];
      line.map = map;
      content.lines.push_back(std::move(line));
    }
    return content;
  }

  /// Adds the raw values of a line and its moving average, as the window draws a run.
  void addRun(ChartContent& content, int line, const std::shared_ptr<const XAxisMap>& map, int color) const {
    ChartLine raw;
    raw.kind = LineKind::Raw;
    raw.color = color;
    raw.points = lines_[static_cast<std::size_t>(line)];
    raw.map = map;
    content.lines.push_back(raw);
    raw.kind = LineKind::Main;
    raw.name = QStringLiteral("run %1").arg(color);
    raw.points = smoothed_[static_cast<std::size_t>(line)];
    raw.derived = true;
    content.lines.push_back(std::move(raw));
    content.xAxis = XAxis::Tokens;
    content.dataEnd = content.xHigh = std::max(content.xHigh, tokens_);
  }
  std::shared_ptr<const XAxisMap> map() const { return std::make_shared<const XAxisMap>(clock_); }

  std::size_t bytes() const {
    std::size_t sum = clock_.bytes();
    for (const LongSeries& line : lines_) sum += line.bytes();  // without the moving averages
    return sum;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> noise_;
  std::array<LongSeries, kSeries> lines_, smoothed_;
  std::array<double, kSeries> mean_{};
  LongSeries clock_;
  double tokens_ = 0;
  std::int64_t rows_ = 0;
};

/// A page of charts in columns.
class Page : public QWidget {
 public:
  Page(int charts, int columns, const ChartTitle& spec, const Theme& theme) {
    auto* grid = new QGridLayout(this);
    for (int i = 0; i < charts; ++i) {
      charts_.push_back(new SeriesChart(spec, theme, this));
      charts_.back()->setRobust(true);
      grid->addWidget(charts_.back(), i / columns, i % columns);
    }
    resize(1600, 900);
  }
  const std::vector<SeriesChart*>& charts() const { return charts_; }

 private:
  std::vector<SeriesChart*> charts_;
};

using Maps = std::vector<std::shared_ptr<const XAxisMap>>;

/// One series of each of several runs, each over its own tokens.
ChartContent contentOfRuns(const std::vector<Source>& runs, const Maps& maps, int line) {
  ChartContent content;
  for (std::size_t run = 0; run < runs.size(); ++run) runs[run].addRun(content, line, maps[run], static_cast<int>(run));
  return content;
}

/// Chooses the visible part of a frame; `end`: of the data.
using View = std::optional<AxisRange> (*)(int frame, double end);

std::optional<AxisRange> whole(int, double) {
  return std::nullopt;
}

/// Everything, then deep in, then along, as a hand does it.
std::optional<AxisRange> moved(int frame, double end) {
  const double phase = 2 * std::numbers::pi * frame / 150;
  const double width = end * std::pow(10.0, -2.5 * (1 - std::cos(phase)));
  const double low = (end - width) * (0.5 + 0.5 * std::sin(phase / 3));
  return AxisRange{low, low + width};
}

void report(const char* what, std::vector<double>& frameMs, double cpuMs) {
  std::sort(frameMs.begin(), frameMs.end());
  const auto at = [&](double part) {
    return frameMs[static_cast<std::size_t>(part * static_cast<double>(frameMs.size() - 1))];
  };
  double sum = 0;
  for (const double ms : frameMs) sum += ms;
  const auto frames = static_cast<double>(frameMs.size());
  std::printf("%-28s %6.1f frames/s (%5.1f of processor time)   median %5.1f ms   99th percentile %5.1f ms\n", what,
              1e3 * frames / sum, 1e3 * frames / cpuMs, at(0.5), at(0.99));
}

template <typename Show>
void measure(const char* what, QWidget& widget, int frames, Show show) {
  widget.show();
  QApplication::processEvents();
  std::vector<double> frameMs;
  double cpuMs = 0;
  for (int frame = -5; frame < frames; ++frame) {
    QElapsedTimer timer;
    timer.start();
    const double cpuSec = cpuSecondsOf([&] {
      show(frame);
      QApplication::processEvents();
      widget.repaint();
    });
    if (frame < 0) continue;
    frameMs.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    cpuMs += 1e3 * cpuSec;
  }
  report(what, frameMs, cpuMs);
}

void grow(Source& source) {
  for (int i = 0; i < kRowsPerFrame; ++i) source.grow();
}

void benchLines(int points, int frames, const ChartTitle& spec, const Theme& theme) {
  Source source(points);
  std::printf("%d series of %d points: %.0f MB\n", kSeries, points, static_cast<double>(source.bytes()) / 1e6);
  SeriesChart chart(spec, theme);
  chart.setRobust(true);
  chart.resize(1200, 600);
  const auto showIn = [&](SeriesChart& shown, const ChartContent& content, View view, int frame) {
    shown.setContent(content, view(frame, content.dataEnd));
  };
  const auto showOne = [&](View view) {
    return [&, view](int frame) {
      grow(source);
      showIn(chart, source.content(0, kSeries), view, frame);
    };
  };
  measure("one chart, 1200 x 600", chart, frames, showOne(whole));
  measure("  moved", chart, frames, showOne(moved));
  Page page(kSeries, 4, spec, theme);
  const auto showEight = [&](View view) {
    return [&, view](int frame) {
      grow(source);
      for (int i = 0; i < kSeries; ++i)
        showIn(*page.charts()[static_cast<std::size_t>(i)], source.content(i, 1), view, frame);
    };
  };
  measure("eight charts, 1600 x 900", page, frames, showEight(whole));
  measure("  moved", page, frames, showEight(moved));
}

void benchRuns(int points, int frames, const ChartTitle& spec, const Theme& theme) {
  constexpr int kCharts = 6;
  std::vector<Source> runs;
  for (unsigned seed = 1; seed <= kSeries; ++seed) runs.emplace_back(points, seed);
  std::printf("%d runs of %d points, smoothed and raw, in %d charts, 1600 x 900\n", kSeries, points, kCharts);
  Page page(kCharts, 3, spec, theme);
  const auto show = [&](View view) {
    return [&, view](int frame) {
      grow(runs[static_cast<std::size_t>(frame + kSeries) % kSeries]);
      Maps maps;
      for (const Source& run : runs) maps.push_back(run.map());
      for (int i = 0; i < kCharts; ++i) {
        const ChartContent content = contentOfRuns(runs, maps, i);
        page.charts()[static_cast<std::size_t>(i)]->setContent(content, view(frame, content.dataEnd));
      }
    };
  };
  measure("growing", page, frames, show(whole));
  measure("  moved", page, frames, show(moved));
  show(whole)(0);
  measure("cursor and card", page, frames, [&](int frame) {
    const double x = page.charts().front()->content().dataEnd * std::abs(frame % 100) / 100;
    for (SeriesChart* chart : page.charts()) {
      chart->showCursorAt(x);
      chart->showCard(chart->cardAt(x));
    }
  });
}

void bench(int points, int frames) {
  Theme theme;
  ChartTitle spec;
  spec.title = QStringLiteral("Loss");
  spec.interactive = true;
  benchLines(points, frames, spec, theme);
  benchRuns(std::max(1, points / 10), frames, spec, theme);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  batchwise::bench(argc > 1 ? std::atoi(argv[1]) : 1'000'000, argc > 2 ? std::atoi(argv[2]) : 600);
  return 0;
}
