// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_charts.h"

#include <QtCore/QCoreApplication>
#include <algorithm>

#include "ui/models/decimate.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

struct RunCharts {
  Q_DECLARE_TR_FUNCTIONS(RunCharts)
};

ChartContent emptyChart(const RunView& view, const ChartOptions& options) {
  ChartContent content;
  content.seams = view.seams;
  const auto last = static_cast<double>(view.series.lastBatch());
  const auto planned = static_cast<double>(view.detail.summary.plannedBatches);
  content.xHigh = std::max(1.0, options.wholeRun ? std::max(last, planned) : last);
  return content;
}

void add(ChartContent& content, LineKind kind, const QString& name, std::vector<QPointF> points, int color = 0) {
  if (points.empty()) return;
  ChartLine line;
  line.name = name;
  line.kind = kind;
  line.color = color;
  line.points = std::move(points);
  content.lines.push_back(std::move(line));
}

void addSuperseded(ChartContent& content, const RunView& view, const std::string& name) {
  for (const auto& stretch : view.series.superseded(name)) add(content, LineKind::Superseded, {}, stretch);
}

std::vector<QPointF> level(const ChartContent& content, double value) {
  return {{content.xLow, value}, {content.xHigh, value}};
}

/// The words for the reference values that a run is stored with.
QString referenceName(const std::string& key) {
  if (key.starts_with("unigram")) return RunCharts::tr("word frequencies");
  return toQt(key).replace(QLatin1Char('_'), QLatin1Char(' '));
}

}  // namespace

ChartContent lossChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  const auto& loss = view.series.points("loss");
  for (const auto& [key, value] : view.detail.references)
    add(content, LineKind::Reference, referenceName(key), level(content, value));
  addSuperseded(content, view, "loss");
  const bool smooth = options.smoothing > 0 && loss.size() > 1;
  add(content, smooth ? LineKind::Raw : LineKind::Main, smooth ? QString() : RunCharts::tr("training"), loss);
  if (smooth) add(content, LineKind::Main, RunCharts::tr("training"), smoothed(loss, options.smoothing));
  add(content, LineKind::Points, RunCharts::tr("evaluation"), view.series.points("eval.loss"), 1);
  content.nonFinite = nonFinitePositions(loss);
  content.events = view.events;
  return content;
}

ChartContent rateChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  add(content, LineKind::Planned, RunCharts::tr("planned"), view.plannedRate);
  addSuperseded(content, view, "lr");
  add(content, LineKind::Main, RunCharts::tr("in use"), view.series.points("lr"));
  content.nonFinite = nonFinitePositions(view.series.points("lr"));
  return content;
}

ChartContent batchChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  add(content, LineKind::Planned, RunCharts::tr("planned"), view.plannedStep);
  addSuperseded(content, view, "step_samples");
  add(content, LineKind::Main, RunCharts::tr("in use"), view.series.points("step_samples"));
  for (ChartLine& line : content.lines) line.steps = true;
  return content;
}

ChartContent memoryChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  const auto devices = view.series.devices();
  int color = 0;
  for (const std::string& device : devices) {
    const std::string prefix = "memory." + device;
    const QString who = devices.size() > 1 ? toQt(device) + QLatin1Char(' ') : QString();
    const auto& total = view.series.points(prefix + ".total");
    if (!total.empty() && total.back().y() > 0)
      add(content, LineKind::Reference, who + RunCharts::tr("limit"), level(content, total.back().y()));
    add(content, LineKind::Thin, who + RunCharts::tr("peak"), view.series.points(prefix + ".peak"), color);
    add(content, LineKind::Main, who + RunCharts::tr("used"), view.series.points(prefix + ".allocated"), color);
    ++color;
  }
  return content;
}

void addMarks(RunView& view, const RunEvent& event) {
  const auto x = static_cast<double>(eventBatch(event));
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    if (started->segment > 0) view.seams.push_back(x);
  } else if (std::holds_alternative<CheckpointSaved>(event)) {
    view.checkpointBatch = eventBatch(event);
    view.events.push_back({x, QStringLiteral("checkpoint"), eventSentence(event)});
  } else if (const auto* note = std::get_if<RunNote>(&event); note != nullptr && note->level != NoteLevel::Info) {
    view.events.push_back({x, levelIcon(note->level), eventSentence(event)});
  }
}

}  // namespace batchwise
