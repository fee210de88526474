// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_charts.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/config/config_file.h"
#include "core/exchange/model_shape.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

struct RunCharts {
  Q_DECLARE_TR_FUNCTIONS(RunCharts)
};

ChartContent emptyChart(const RunView& view, const ChartOptions& options) {
  ChartContent content;
  content.resumePositions = view.resumePositions;
  const auto last = static_cast<double>(view.series.lastBatch());
  const auto planned = static_cast<double>(view.detail.summary.plannedBatches);
  content.xHigh = std::max(1.0, options.wholeRun ? std::max(last, planned) : last);
  content.dataEnd = last;
  return content;
}

void add(ChartContent& content, LineKind kind, const QString& name, LongSeries points, int color = 0) {
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

LongSeries level(const ChartContent& content, double value) {
  return {{content.xLow, value}, {content.xHigh, value}};
}

/// Label of a stored reference value.
QString referenceName(const std::string& key) {
  if (key.starts_with("unigram")) return RunCharts::tr("word frequencies");
  return toQt(key).replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// Adds a series and its superseded rows; if smoothed, also the raw values behind.
void addMeasured(ChartContent& content, const RunView& view, const std::string& series, const QString& name,
                 double smoothing) {
  const auto& points = view.series.points(series);
  addSuperseded(content, view, series);
  const bool smooth = smoothing > 0 && points.size() > 1;
  add(content, smooth ? LineKind::Raw : LineKind::Main, smooth ? QString() : name, points);
  if (smooth) {
    add(content, LineKind::Main, name, view.series.smoothed(series, smoothing));
    content.lines.back().derived = true;
  }
}

bool hasValues(const LongSeries& points) {
  return points.firstOutside(0, points.size(), 0, 0) < points.size();
}

/// Marks changes of the step size; none if there are more than 32 (token budget).
void addStageEdges(ChartContent& content, const RunView& view) {
  constexpr std::size_t kMaxEdges = 32;
  const LongSeries& sizes = view.series.points("step_samples");
  std::vector<ChartEvent> edges;
  for (std::size_t i = 0; i < sizes.size() && edges.size() <= kMaxEdges;) {
    const double size = sizes.y(i);
    i = sizes.firstOutside(i + 1, sizes.size(), size, size);
    if (i == sizes.size()) break;
    edges.push_back({sizes.x(i), QStringLiteral("stage"),
                     RunCharts::tr("Batch size from %1 to %2 samples per step")
                         .arg(integerText(std::llround(size)), integerText(std::llround(sizes.y(i))))});
  }
  if (edges.size() <= kMaxEdges) content.events.insert(content.events.end(), edges.begin(), edges.end());
}

/// Offsets the colors: the run's own color is the first, evaluations or a second device use the next.
void offsetColors(ChartContent& content, int style) {
  for (ChartLine& line : content.lines) line.color += style;
}

void mapToXAxis(ChartContent& content, const XAxisMap& xAxis, XAxis name) {
  for (double& x : content.resumePositions) x = xAxis.at(x);
  for (ChartEvent& event : content.events) event.x = xAxis.at(event.x);
  content.xHigh = xAxis.at(content.xHigh);
  content.dataEnd = xAxis.at(content.dataEnd);
  content.xAxis = name;
  content.map = xAxis;
}

}  // namespace

ChartContent lossChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  for (const auto& [key, value] : view.detail.references)
    add(content, LineKind::Reference, referenceName(key), level(content, value));
  addMeasured(content, view, "loss", RunCharts::tr("training"), options.smoothing);
  add(content, LineKind::Points, RunCharts::tr("evaluation"), view.series.points("eval.loss"), 1);
  content.events = view.events;
  content.events.insert(content.events.end(), view.alerts.begin(), view.alerts.end());
  addStageEdges(content, view);
  return content;
}

ChartContent rateChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  add(content, LineKind::Planned, RunCharts::tr("planned"), LongSeries(view.plannedRate));
  addMeasured(content, view, "lr", RunCharts::tr("in use"), 0);
  return content;
}

ChartContent batchChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  add(content, LineKind::Planned, RunCharts::tr("planned"), LongSeries(view.plannedStep));
  addMeasured(content, view, "step_samples", RunCharts::tr("in use"), 0);
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
    if (const auto& driver = view.series.points(prefix + ".driver_used"); !driver.empty())
      add(content, LineKind::Thin, who + RunCharts::tr("used by all programs"), driver, color);
    add(content, LineKind::Main, who + RunCharts::tr("used"), view.series.points(prefix + ".allocated"), color);
    ++color;
  }
  return content;
}

ChartContent evaluationChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  add(content, LineKind::Points, RunCharts::tr("evaluation"), view.series.points("eval.loss"), 1);
  return content;
}

ChartContent gradNormChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  if (hasValues(view.series.points("grad_norm")))
    addMeasured(content, view, "grad_norm", RunCharts::tr("before clipping"), options.smoothing);
  return content;
}

ChartContent speedChart(const RunView& view, const ChartOptions& options) {
  ChartContent content = emptyChart(view, options);
  if (hasValues(view.series.points("tokens_per_sec")))
    addMeasured(content, view, "tokens_per_sec", RunCharts::tr("training"), options.smoothing);
  return content;
}

ChartContent seriesContent(const RunView& view, const ChartOptions& options, const std::string& series) {
  ChartContent content = emptyChart(view, options);
  if (hasValues(view.series.points(series)))
    addMeasured(content, view, series, RunCharts::tr("measured"), options.smoothing);
  return content;
}

bool alwaysShown(RunChart chart) {
  return chart == RunChart::Loss || chart == RunChart::Rate || chart == RunChart::Batch || chart == RunChart::Memory;
}

std::vector<ChartContent> runCharts(const RunView& view, const ChartOptions& options) {
  constexpr std::array kMakers = {lossChart,     rateChart,       batchChart, speedChart,
                                  gradNormChart, evaluationChart, memoryChart};
  static_assert(kMakers.size() == kRunCharts.size());
  const XAxisMap xAxis = clockValue(view, options.xAxis);
  std::vector<ChartContent> contents;
  for (const auto make : kMakers) {
    contents.push_back(make(view, options));
    mapToXAxis(contents.back(), xAxis, options.xAxis);
    offsetColors(contents.back(), view.style);
  }
  for (const std::string& series : options.extraSeries) {
    contents.push_back(seriesContent(view, options, series));
    mapToXAxis(contents.back(), xAxis, options.xAxis);
    offsetColors(contents.back(), view.style);
  }
  return contents;
}

namespace {

double samplesPerEpoch(const RunDetail& run) {
  const auto found = run.resolvedValues.find("data.samples_per_epoch");
  return found == run.resolvedValues.end() ? 0.0 : toQt(found->second).toDouble();
}

/// (global batch, seconds since the start) of starts, resumes and the end.
LongSeries knownTimes(const RunView& view) {
  LongSeries times;
  const RunDetail& run = view.detail;
  if (run.segments.empty()) return times;
  const std::int64_t start = run.segments.front().startedMs;
  const auto add = [&](std::int64_t batch, std::int64_t ms) {
    const auto x = static_cast<double>(batch);
    const double seconds = static_cast<double>(ms - start) / 1000.0;
    if (batch > 0 && seconds > 0 && (times.empty() || (x > times.back().x() && seconds > times.back().y())))
      times.append(x, seconds);
  };
  for (const RunSegment& segment : run.segments) add(segment.from.batch, segment.startedMs);
  const RunSegment& last = run.segments.back();
  const double trained = run.summary.at.seconds - last.from.seconds;
  add(run.summary.at.batch, last.startedMs + std::llround(1000 * std::max(0.0, trained)));
  return times;
}

LongSeries elapsed(const RunView& view) {
  if (view.series.points("wall").empty() || view.detail.segments.empty()) return knownTimes(view);
  return view.series.elapsed(view.detail.segments.front().startedMs);
}

}  // namespace

XAxisMap clockValue(const RunView& view, XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return {};
    case XAxis::Steps: return view.series.stepMap();
    case XAxis::Samples: return XAxisMap(view.series.points("sp"));
    case XAxis::Tokens: return XAxisMap(view.series.points("tok"));
    case XAxis::Time: return XAxisMap(view.series.points("sec"));
    case XAxis::Elapsed: return XAxisMap(elapsed(view));
    case XAxis::Flops: return XAxisMap(view.series.flops(view.cost));
    case XAxis::Epochs: {
      const double samples = samplesPerEpoch(view.detail);
      return XAxisMap(view.series.points("sp"), samples > 0 ? 1.0 / samples : 1.0);
    }
  }
  return {};
}

TrainingCost trainingCostOf(const RunDetail& run) {
  const TrainingCost stored = storedTrainingCost(run.resolvedValues);
  if (stored.perToken > 0) return stored;
  const TrainConfig config = parseConfig(run.resolvedYaml, run.summary.name, {}).config;
  if (!config.tokenizer.path.empty() || !config.model.initFrom.empty()) return {};
  const auto shape = resolveModelShape(config.model, config.tokenizer.trainVocabSize, config.data.maxSeqLen);
  return shape.ok() ? trainingCost(*shape, config.data.mlmProbability) : TrainingCost();
}

void addMarkers(RunView& view, const RunEvent& event) {
  const auto mark = [&](const QString& icon) {
    view.events.push_back({static_cast<double>(eventBatch(event)), icon, eventSentence(event)});
  };
  if (const auto* started = std::get_if<RunStarted>(&event)) {
    if (started->segment == 0) return;
    view.resumePositions.push_back(static_cast<double>(eventBatch(event)));
    mark(QStringLiteral("resume"));
  } else if (std::holds_alternative<CheckpointSaved>(event)) {
    view.checkpointBatch = eventBatch(event);
    mark(QStringLiteral("checkpoint"));
  } else if (std::holds_alternative<EvalResult>(event)) {
    mark(QStringLiteral("evaluation"));
  } else if (const auto* note = std::get_if<RunNote>(&event);
             note != nullptr && (note->level != NoteLevel::Info || note->at.batch > 0)) {
    mark(levelIcon(note->level));
  }
}

}  // namespace batchwise
