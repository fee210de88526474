// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_view.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/model/shape/model_shape.h"
#include "ui/parts/display_text.h"

namespace batchwise {

double samplesPerEpoch(const RunDetail& run) {
  constexpr std::string_view kName = "data.samples_per_epoch";
  double samples = 0;
  for (const auto& [name, value] : run.resolvedValues) {
    if (name != kName && !(name.starts_with("stages[") && name.ends_with("]." + std::string(kName)))) continue;
    const double ofStage = numberNamed(run.resolvedValues, name).value_or(0.0);
    if (samples > 0 && samples != ofStage) return 0;
    samples = ofStage;
  }
  return samples;
}

namespace {

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

bool hasAxis(const RunView& view, XAxis xAxis) {
  if (xAxis == XAxis::Epochs) return samplesPerEpoch(view.detail) > 0;
  return xAxis != XAxis::Flops || view.cost.known();
}

XAxisMap axisMapOf(const RunView& view, XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return {};
    case XAxis::Steps: return view.series.stepMap();
    case XAxis::Samples: return XAxisMap(view.series.points("sp"));
    case XAxis::Tokens: return XAxisMap(view.series.points("tok"));
    case XAxis::Time: return XAxisMap(view.series.points("sec"));
    case XAxis::Elapsed: return XAxisMap(elapsed(view));
    case XAxis::Flops: return XAxisMap(view.series.flops(view.cost));
    case XAxis::Epochs: return XAxisMap(view.series.points("sp"), 1.0 / samplesPerEpoch(view.detail));
  }
  return {};
}

TrainingCost trainingCostOf(const RunDetail& run) {
  const TrainingCost stored = storedTrainingCost(run.resolvedValues);
  if (stored.known()) return stored;
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
