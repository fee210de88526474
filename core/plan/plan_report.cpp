// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

using nlohmann::json;

template <typename Value>
json orNull(const std::optional<Value>& value) {
  return value ? json(*value) : json(nullptr);
}

/// Writes whole epochs as an integer.
json epochs(const std::optional<double>& count) {
  if (!count) return nullptr;
  return *count == std::floor(*count) ? json(static_cast<std::int64_t>(*count)) : json(*count);
}

json stageJson(const PlannedRange& stage) {
  json object = {{"from_ba", stage.fromBatch},
                 {"global_batches", orNull(stage.globalBatches)},
                 {"global_batch_samples", stage.steps * stage.stepUnits},
                 {"parts", stage.steps},
                 {"step_samples", stage.stepUnits},
                 {"micro_batches_per_step", stage.microBatchesPerStep},
                 {"microbatch_samples", stage.microbatchUnits},
                 {"optimizer_steps", orNull(stage.optimizerSteps)},
                 {"reached", stage.reached}};
  if (stage.beta2) object["beta2"] = *stage.beta2;
  if (stage.weightDecay) object["weight_decay"] = *stage.weightDecay;
  return object;
}

json pointJson(const RunPlan& run, const Plan::Point& point) {
  json object = {{"ep", point.at.epoch},
                 {"ba", point.at.batch},
                 {"sp", point.at.sample},
                 {"tok", point.at.token},
                 {"lr_factor", point.factor},
                 {"lr", point.learningRate},
                 {"step_samples", point.stepSamples},
                 {"global_batch_samples", point.globalBatchSamples}};
  if (run.changesMaskProbability()) object["mlm_probability"] = point.maskProbability;
  return object;
}

/// A table with aligned columns, numbers right-aligned.
class AlignedTable {
 public:
  explicit AlignedTable(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_)
      for (std::size_t column = 0; column < row.size(); ++column)
        widths[column] = std::max(widths[column], row[column].size());
    std::string text;
    for (const auto& row : rows_) {
      text += " ";
      for (std::size_t column = 0; column < row.size(); ++column)
        text += std::string(widths[column] - row[column].size() + 1, ' ') + row[column] + " ";
      text += "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string countOr(const std::optional<std::int64_t>& value, const char* singular) {
  return value ? countText(*value, singular) : std::string("? ") + singular + "s";
}

std::string integerOr(const std::optional<std::int64_t>& value, const char* fallback) {
  return value ? formatInteger(*value) : fallback;
}

std::string totalsText(const Plan::Totals& totals) {
  if (!totals.batches) return "its end is only known while running\n";
  std::string text = countText(*totals.batches, "global batch") + ", " + countOr(totals.steps, "step") + ", " +
                     countOr(totals.samples, "sample");
  if (totals.tokens)
    text += ", " + formatCount(static_cast<double>(*totals.tokens)) + (*totals.tokens == 1 ? " token" : " tokens");
  if (totals.epochs) text += ", " + formatValue(*totals.epochs) + (*totals.epochs == 1.0 ? " epoch" : " epochs");
  return text + "\n";
}

std::string lengthText(const Time& maxDuration, const Plan::Totals& totals) {
  return "Run of " + maxDuration.text() + ": " + totalsText(totals);
}

/// `from`: of the plan, in global batches of the run.
std::string stagesText(const Plan& plan, std::int64_t from) {
  const std::string unit = plan.countsPacks() ? "packs" : "samples";
  std::vector<std::string> head = {"from",           "global batches",   unit + " each",
                                   "steps each",     unit + " per step", "passes per device",
                                   "optimizer steps"};
  // All stages have them, or none has.
  const bool showsBeta2 = plan.ranges().front().beta2.has_value();
  const bool showsDecay = plan.ranges().front().weightDecay.has_value();
  if (showsBeta2) head.emplace_back("beta2");
  if (showsDecay) head.emplace_back("weight decay");
  head.emplace_back();
  AlignedTable table(head);
  for (const PlannedRange& stage : plan.ranges()) {
    std::vector<std::string> row = {formatInteger(from + stage.fromBatch) + " ba",
                                    integerOr(stage.globalBatches, "to the end"),
                                    formatInteger(stage.steps * stage.stepUnits),
                                    formatInteger(stage.steps),
                                    formatInteger(stage.stepUnits),
                                    formatInteger(stage.microBatchesPerStep) + " x " +
                                        formatInteger(std::min(stage.microbatchUnits, stage.stepUnits)),
                                    integerOr(stage.optimizerSteps, "")};
    if (showsBeta2) row.push_back(formatValue(*stage.beta2));
    if (showsDecay) row.push_back(formatValue(*stage.weightDecay));
    row.emplace_back(stage.reached ? "" : "not reached");
    table.add(row);
  }
  return table.text();
}

/// What the steps of stages of different sizes mean for the optimizer.
std::string optimizerText(const Plan& plan, std::int64_t from) {
  if (plan.ranges().size() < 2) return {};
  AlignedTable table({"from", "rate", "of the sqrt rule", "second moment forgets half in", "extra steps"});
  for (const PlannedRange& stage : plan.ranges())
    table.add({formatInteger(from + stage.fromBatch) + " ba", formatRate(stage.firstRate),
               formatValue(stage.rateOverSqrtRule) + " x", formatValue(stage.halfLifeSteps) + " steps",
               integerOr(stage.extraSteps, "")});
  return "\nOptimizer\n" + table.text();
}

std::string pointsText(const RunPlan& run, const std::vector<Plan::Point>& points) {
  std::vector<std::string> head = {"ep", "ba", "sp", "tok", "rate", "factor", "per step", "per global batch"};
  if (run.changesMaskProbability()) head.emplace_back("predicted");
  AlignedTable table(head);
  for (const Plan::Point& point : points) {
    std::vector<std::string> row = {formatInteger(point.at.epoch),    formatInteger(point.at.batch),
                                    formatInteger(point.at.sample),   formatInteger(point.at.token),
                                    formatRate(point.learningRate),   formatValue(point.factor),
                                    formatInteger(point.stepSamples), formatInteger(point.globalBatchSamples)};
    if (run.changesMaskProbability()) row.push_back(formatValue(point.maskProbability * 100.0) + " %");
    table.add(row);
  }
  return table.text();
}

Result<std::vector<Plan::Point>> pointsAt(const RunPlan& run, const std::vector<Time>& times) {
  std::vector<Plan::Point> points;
  for (const Time& time : times) {
    ASSIGN_OR_RETURN(auto point, run.pointAt(time));
    points.push_back(point);
  }
  return points;
}

/// Returns the fill of the token budget, or without one that of a trainer that pads.
Result<std::optional<double>> fillOf(const Plan& plan) {
  if (plan.countsPacks()) return plan.fill();
  return plan.paddedFill();
}

std::string fillText(const Plan& plan, double fill) {
  return "Fill " + formatValue(fill * 100.0) + (plan.countsPacks() ? " %\n" : " % of padded micro-batches\n");
}

json totalsJson(const Plan::Totals& totals) {
  return {{"ep", epochs(totals.epochs)},
          {"ba", orNull(totals.batches)},
          {"steps", orNull(totals.steps)},
          {"sp", orNull(totals.samples)},
          {"tok", orNull(totals.tokens)}};
}

json clocksJson(const Timestamp& at) {
  return {{"ep", at.epoch}, {"ba", at.batch}, {"sp", at.sample}, {"tok", at.token}};
}

/// The text after the tables.
std::string appendixText(const RunPlan& run, const std::vector<Plan::Point>& points) {
  std::string text;
  if (!points.empty()) text += "\nPoints\n" + pointsText(run, points);
  text += "\nResolved\n";
  const ResolvedValues resolved = run.resolved();
  for (const auto& [name, value] : resolved) text += "  " + name + ": " + value + "\n";
  const std::vector<FieldProblem> notes = run.notes();
  if (!notes.empty()) text += "\nNotes\n";
  for (const FieldProblem& note : notes) text += "  " + note.text() + "\n";
  return text;
}

/// "Stage 2 of 3, from 800 ba to 0.9dur: 100 global batches, ...", what it changes and its steps.
Result<std::string> runStageText(const RunPlan& run, std::size_t index) {
  const RunStage& stage = run.stages()[index];
  const Plan& plan = run.plans()[index];
  std::string text = "\nStage " + std::to_string(index + 1) + " of " + std::to_string(run.plans().size()) + ", from " +
                     formatInteger(plan.start().batch) + " ba to " + stage.until.text() + ": " +
                     totalsText(plan.totals());
  for (const std::string& change : stage.changes) text += "  " + change + "\n";
  text += stagesText(plan, plan.start().batch) + optimizerText(plan, plan.start().batch);
  ASSIGN_OR_RETURN(const auto fill, fillOf(plan));
  if (fill) text += "  " + fillText(plan, *fill);
  return text;
}

Result<json> runStageJson(const RunPlan& run, std::size_t index) {
  const RunStage& stage = run.stages()[index];
  const Plan& plan = run.plans()[index];
  ASSIGN_OR_RETURN(const auto fill, fillOf(plan));
  return json{{"until", stage.until.text()},
              {"changes", stage.changes},
              {"from", run.isPredictable() ? clocksJson(plan.start()) : json(nullptr)},
              {"max_duration", plan.runLength().maxDuration.text()},
              {"totals", totalsJson(plan.totals())},
              {"fill", orNull(fill)}};
}

/// A pack of a global batch with its figures.
struct ListedPack {
  std::vector<std::int64_t> samples;
  std::int64_t longest = 0;
  std::int64_t tokens = 0;
};

Result<std::vector<ListedPack>> packsOf(const Plan& plan, const Lengths& lengths, std::int64_t epoch,
                                        const GlobalBatch& batch, RowLength rowLength) {
  std::vector<ListedPack> packs;
  std::int64_t longest = 0;
  for (const OptimizerStep& step : batch.steps) {
    ASSIGN_OR_RETURN(auto units, plan.unitsOf(epoch, step));
    for (auto& samples : units) {
      ListedPack pack;
      for (const std::int64_t sample : samples) {
        pack.longest = std::max<std::int64_t>(pack.longest, lengths.at(sample));
        pack.tokens += lengths.at(sample);
      }
      longest = std::max(longest, pack.longest);
      pack.samples = std::move(samples);
      packs.push_back(std::move(pack));
    }
  }
  if (rowLength == RowLength::OfGlobalBatch)
    for (ListedPack& pack : packs) pack.longest = longest;
  return packs;
}

}  // namespace

Result<json> previewJson(const RunPlan& run, const std::vector<Time>& times) {
  ASSIGN_OR_RETURN(const auto points, pointsAt(run, times));
  json out = {{"schema", "batchwise.preview/1"}, {"max_duration", run.maxDuration().text()}};
  out["resolved"] = run.resolved();
  out["totals"] = totalsJson(run.totals());
  out["stages"] = json::array();
  for (const PlannedRange& stage : run.plannedRanges()) out["stages"].push_back(stageJson(stage));
  if (run.plans().size() == 1) {
    ASSIGN_OR_RETURN(const auto fill, fillOf(run.first()));
    out["fill"] = orNull(fill);
  } else {
    out["run_stages"] = json::array();
    for (std::size_t index = 0; index < run.plans().size(); ++index) {
      ASSIGN_OR_RETURN(auto stage, runStageJson(run, index));
      out["run_stages"].push_back(std::move(stage));
    }
    out["fill"] = out["run_stages"].front()["fill"];
  }
  out["points"] = json::array();
  for (const Plan::Point& point : points) out["points"].push_back(pointJson(run, point));
  out["notes"] = json::array();
  for (const FieldProblem& note : run.notes()) out["notes"].push_back(note.text());
  RETURN_IF_ERROR(run.intact());
  return out;
}

Result<std::string> previewText(const RunPlan& run, const std::vector<Time>& times) {
  ASSIGN_OR_RETURN(const auto points, pointsAt(run, times));
  std::string text = lengthText(run.maxDuration(), run.totals());
  if (run.plans().size() == 1) {
    text += "\nStages\n" + stagesText(run.first(), 0) + optimizerText(run.first(), 0);
    ASSIGN_OR_RETURN(const auto fill, fillOf(run.first()));
    if (fill) text += "\n" + fillText(run.first(), *fill);
  } else {
    for (std::size_t index = 0; index < run.plans().size(); ++index) {
      ASSIGN_OR_RETURN(const auto stage, runStageText(run, index));
      text += stage;
    }
  }
  text += appendixText(run, points);
  RETURN_IF_ERROR(run.intact());
  return text;
}

Result<json> batchesJson(const Plan& plan, const Lengths& lengths, std::int64_t epoch, RowLength rowLength) {
  ASSIGN_OR_RETURN(const auto batches, plan.batchesOfEpoch(epoch));
  json out = {{"schema", "batchwise.batches/1"}};
  for (const char* list : {"packs", "global_batch_of_pack", "longest", "tokens", "lr_factors", "skipped"})
    out[list] = json::array();
  for (std::size_t index = 0; index < batches.size(); ++index) {
    const GlobalBatch& batch = batches[index];
    ASSIGN_OR_RETURN(auto packs, packsOf(plan, lengths, epoch, batch, rowLength));
    for (ListedPack& pack : packs) {
      out["packs"].push_back(std::move(pack.samples));
      out["global_batch_of_pack"].push_back(index);
      out["longest"].push_back(pack.longest);
      out["tokens"].push_back(pack.tokens);
    }
    out["lr_factors"].push_back(plan.factorOf(batch));
  }
  out["fill"] = orNull(plan.fill(epoch));
  for (const SkippedSample& skipped : plan.skipped(epoch))
    out["skipped"].push_back({{"sample", skipped.sample}, {"length", skipped.length}, {"why", skipped.why}});
  RETURN_IF_ERROR(lengths.intact());
  return out;
}

Result<std::string> batchesText(const Plan& plan, const Lengths& lengths, std::int64_t epoch, RowLength rowLength) {
  constexpr std::size_t kShown = 40;
  ASSIGN_OR_RETURN(const auto batches, plan.batchesOfEpoch(epoch));
  const bool hasPacks = plan.countsPacks();
  std::vector<std::string> head = {"global batch", "steps", "samples", "tokens", "longest", "factor"};
  if (hasPacks) head.insert(head.begin() + 2, "packs");
  AlignedTable table(head);
  for (std::size_t index = 0; index < std::min(kShown, batches.size()); ++index) {
    const GlobalBatch& batch = batches[index];
    ASSIGN_OR_RETURN(const auto packs, packsOf(plan, lengths, epoch, batch, rowLength));
    std::int64_t samples = 0;
    std::int64_t tokens = 0;
    std::int64_t longest = 0;
    for (const ListedPack& pack : packs) {
      samples += static_cast<std::int64_t>(pack.samples.size());
      tokens += pack.tokens;
      longest = std::max(longest, pack.longest);
    }
    std::vector<std::string> row = {
        formatInteger(batch.batch), formatInteger(static_cast<std::int64_t>(batch.steps.size())),
        formatInteger(samples),     formatInteger(tokens),
        formatInteger(longest),     formatValue(plan.factorOf(batch))};
    if (hasPacks) row.insert(row.begin() + 2, formatInteger(static_cast<std::int64_t>(packs.size())));
    table.add(row);
  }
  std::string text = "Epoch " + std::to_string(epoch) + ": " +
                     countText(static_cast<std::int64_t>(batches.size()), "global batch") + "\n" + table.text();
  if (batches.size() > kShown)
    text += "  ... " + formatInteger(static_cast<std::int64_t>(batches.size() - kShown)) + " more\n";
  if (const auto fill = plan.fill(epoch)) text += "\nFill " + formatValue(*fill * 100.0) + " %\n";
  const auto skipped = plan.skipped(epoch);
  if (!skipped.empty()) text += "\nSkipped: " + countText(static_cast<std::int64_t>(skipped.size()), "sample") + "\n";
  for (std::size_t index = 0; index < std::min(kShown, skipped.size()); ++index)
    text += "  sample " + std::to_string(skipped[index].sample) + ", " + std::to_string(skipped[index].length) +
            (skipped[index].length == 1 ? " token: " : " tokens: ") + skipped[index].why + "\n";
  RETURN_IF_ERROR(lengths.intact());
  return text;
}

Result<std::vector<Time>> parseTimeList(const std::string& text) {
  std::vector<Time> times;
  for (const std::string& entry : partsOf(text, ',')) {
    ASSIGN_OR_RETURN(auto time, Time::parse(entry));
    times.push_back(time);
  }
  return times;
}

}  // namespace batchwise
