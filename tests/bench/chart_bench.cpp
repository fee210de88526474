// SPDX-License-Identifier: GPL-3.0-or-later
// chart_bench [POINTS [FRAMES]]: frames of live charts that grow while they are moved and zoomed, drawn by the
// processor into memory: 8 series of a million points each (default), in one chart and in a page of charts.
#include <QtCore/QElapsedTimer>
#include <QtWidgets/QApplication>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>

#include "ui/widgets/charts/series_chart.h"
#include "ui/widgets/watch/chart_grid.h"

namespace batchwise {
namespace {

constexpr int kSeries = 8;
constexpr int kRowsPerFrame = 20;

/// Noise around a falling curve, with spikes and gaps, over tokens that do not come evenly.
class Source {
 public:
  explicit Source(int points) {
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
      lines_[static_cast<std::size_t>(i)].append(batch, y);
    }
  }

  /// All lines, or one of them.
  ChartContent content(int first, int count) const {
    ChartContent content;
    content.map = XAxisMap(clock_);
    content.xAxis = XAxis::Tokens;
    content.dataEnd = content.xHigh = tokens_;
    for (int i = first; i < first + count; ++i) {
      ChartLine line;
      line.name = QStringLiteral("series %1").arg(i);
      line.color = i;
      line.points = lines_[static_cast<std::size_t>(i)];
      content.lines.push_back(std::move(line));
    }
    return content;
  }
  std::size_t bytes() const {
    std::size_t sum = clock_.bytes();
    for (const LongSeries& line : lines_) sum += line.bytes();
    return sum;
  }

 private:
  std::mt19937 random_{1};
  std::normal_distribution<double> noise_;
  std::array<LongSeries, kSeries> lines_;
  LongSeries clock_;
  double tokens_ = 0;
  std::int64_t rows_ = 0;
};

/// Everything, then deep in, then along, as a hand does it.
AxisRange partOf(int frame, double end) {
  const double phase = 2 * std::numbers::pi * frame / 150;
  const double width = end * std::pow(10.0, -2.5 * (1 - std::cos(phase)));
  const double low = (end - width) * (0.5 + 0.5 * std::sin(phase / 3));
  return {low, low + width};
}

void report(const char* what, std::vector<double>& frameMs) {
  std::sort(frameMs.begin(), frameMs.end());
  const auto at = [&](double part) {
    return frameMs[static_cast<std::size_t>(part * static_cast<double>(frameMs.size() - 1))];
  };
  double sum = 0;
  for (const double ms : frameMs) sum += ms;
  std::printf("%-34s %6.1f frames/s   median %5.1f ms   99th percentile %5.1f ms   longest %5.1f ms\n", what,
              1e3 * static_cast<double>(frameMs.size()) / sum, at(0.5), at(0.99), frameMs.back());
}

template <typename Show>
void measure(const char* what, Source& source, QWidget& widget, int frames, Show show) {
  widget.show();
  QApplication::processEvents();
  std::vector<double> frameMs;
  QElapsedTimer timer;
  for (int frame = -5; frame < frames; ++frame) {
    timer.start();
    for (int i = 0; i < kRowsPerFrame; ++i) source.grow();
    show(frame);
    QApplication::processEvents();
    widget.repaint();
    if (frame >= 0) frameMs.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
  }
  report(what, frameMs);
}

void bench(int points, int frames) {
  Source source(points);
  std::printf("%d series of %d points: %.0f MB\n", kSeries, points, static_cast<double>(source.bytes()) / 1e6);
  Theme theme;
  SeriesChart::Spec spec;
  spec.title = QStringLiteral("Loss");
  spec.interactive = true;
  {
    SeriesChart chart(spec, theme);
    chart.setRobust(true);
    chart.resize(1200, 600);
    measure("one chart, 1200 x 600", source, chart, frames, [&](int frame) {
      const ChartContent content = source.content(0, kSeries);
      chart.setContent(content, partOf(frame, content.dataEnd));
    });
  }
  ChartGrid grid(theme);
  for (int i = 0; i < kSeries; ++i) grid.addChart(new SeriesChart(spec, theme));
  grid.setRobust(true);
  grid.resize(1100, 640);
  measure("eight charts, 1100 x 640", source, grid, frames, [&](int frame) {
    std::vector<ChartContent> contents;
    for (int i = 0; i < kSeries; ++i) contents.push_back(source.content(i, 1));
    const double end = contents.front().dataEnd;
    grid.setContents(std::move(contents), std::vector<bool>(kSeries, false));
    grid.showPart(partOf(frame, end));
  });
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  batchwise::bench(argc > 1 ? std::atoi(argv[1]) : 1'000'000, argc > 2 ? std::atoi(argv[2]) : 600);
  return 0;
}
