// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/plan_preview.h"

#include <QtCore/QObject>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/config/default_values.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/memory_forecast.h"
#include "core/store/records.h"
#include "core/text/demo_corpus.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"
#include "core/text/text_survey.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr int kPlanPoints = 400;
constexpr double kDemoTokensPerParagraph = 45;  // see DemoCorpusSpec

StageUnits unitsOf(const Plan& plan) {
  const double perBatch = std::max(1.0, numberNamed(plan.resolved(), "batch.global_train_batch_size").value_or(1));
  return {plan.countsPacks(), plan.devices(),
          numberNamed(plan.resolved(), "scheduler.samples_per_batch").value_or(perBatch) / perBatch,
          numberNamed(plan.resolved(), "scheduler.tokens_per_batch").value_or(0) / perBatch};
}

/// First of `names` that is resolved to a positive length.
std::optional<PlannedLength> lengthNamed(const Plan& plan, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = plan.resolved().find(name);
    if (found == plan.resolved().end()) continue;
    const auto length = Time::parse(found->second);
    if (!length.ok() || length->number() <= 0) continue;
    PlannedLength planned{*length, std::nullopt};
    if (length->unit() == TimeUnit::Batch) {
      planned.batches = length->count();
    } else if (const auto end = plan.pointAt(*length); end.ok()) {
      planned.batches = end->at.batch;
    }
    return planned;
  }
  return std::nullopt;
}

/// First global batch of the epoch after the one that contains `batch`; none if the data has no known length.
std::optional<std::int64_t> nextEpoch(const RunPlan& plan, std::int64_t batch) {
  const auto here = plan.pointAt(Time::of(batch, TimeUnit::Batch));
  if (!here.ok()) return std::nullopt;
  const auto next = plan.pointAt(Time::of(here->at.epoch + 1, TimeUnit::Epoch));
  if (!next.ok() || next->at.batch <= batch) return std::nullopt;
  return next->at.batch;
}

/// Representative global batches: evenly spaced ones, both sides of each stage boundary, and in each gap the end of an
/// epoch, whose last global batch may be short.
std::set<std::int64_t> representativeBatches(const RunPlan& plan, std::int64_t batches) {
  std::set<std::int64_t> chosen;
  const auto choose = [&](std::int64_t batch) {
    if (batch >= 0 && batch < batches) chosen.insert(batch);
  };
  const auto spread = [&](int i) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(batches - 1) * i / kPlanPoints));
  };
  for (const PlannedRange& stage : plan.plannedRanges()) {
    choose(stage.fromBatch - 1);
    choose(stage.fromBatch);
  }
  std::optional<std::int64_t> epochEnd = nextEpoch(plan, 0);
  for (int i = 0; i <= kPlanPoints; ++i) {
    choose(spread(i));
    if (epochEnd && *epochEnd <= spread(i)) epochEnd = nextEpoch(plan, spread(i));
    if (!epochEnd || *epochEnd > spread(i + 1)) continue;
    for (const std::int64_t around : {-2, -1, 0}) choose(*epochEnd + around);
  }
  return chosen;
}

/// Plans as if a device's share of a global batch fit, where only a search on the device can tell.
std::int64_t automaticMicrobatch(const TrainConfig& config, const Lengths* lengths, std::int64_t devices) {
  const std::int64_t planned = plannedMicrobatch(config, lengths, devices);
  return planned > 0 ? planned : ceilDiv(largestGlobalBatch(config.batch), devices);
}

/// Samples of equal length: as counted, else the maximum. A stage is assumed to have the tokens of the run.
std::shared_ptr<const Lengths> assumedLengths(const TrainConfig& run, const TrainConfig& stage,
                                              const PlanAssumptions& assumptions) {
  std::int64_t samples = assumptions.samplesPerEpoch;
  if (samples <= 0) return nullptr;
  std::int64_t length = std::max<std::int64_t>(1, stage.data.maxSeqLen);
  const std::int64_t longest = std::max<std::int64_t>(1, run.data.maxSeqLen);
  const std::int64_t each = assumptions.tokensPerSample > 0 ? std::min(longest, assumptions.tokensPerSample) : longest;
  if (length != run.data.maxSeqLen)
    samples = ceilDiv(samples * each, length);
  else if (assumptions.tokensPerSample > 0)
    length = std::min(length, assumptions.tokensPerSample);
  return std::make_shared<EqualLengths>(samples, static_cast<std::uint32_t>(length));
}

std::vector<PlannedRunStage> runStagesOf(const RunPlan& plan) {
  std::vector<PlannedRunStage> stages;
  if (plan.plans().size() == 1) return stages;
  for (std::size_t i = 0; i < plan.plans().size(); ++i)
    stages.push_back({plan.stages()[i].until, plan.plans()[i].totals().batches, plan.stages()[i].changes});
  return stages;
}

std::vector<FieldProblem> warningsOf(const TrainConfig& config, const RunPlan& plan) {
  std::vector<FieldProblem> warnings = findPlanMistakes(config, plan);
  for (FieldProblem& note : plan.notes()) warnings.push_back(std::move(note));
  return warnings;
}

QString countText(double count) {
  return toQt(formatCount(count));
}

}  // namespace

QString timeText(const Time& time) {
  const auto counted = [&time](const QString& one, const QString& many) { return plural(time.count(), one, many); };
  switch (time.unit()) {
    case TimeUnit::Batch: return counted(QObject::tr("%n global batch"), QObject::tr("%n global batches"));
    case TimeUnit::Sample: return counted(QObject::tr("%n sample"), QObject::tr("%n samples"));
    case TimeUnit::Token: return counted(QObject::tr("%n token"), QObject::tr("%n tokens"));
    case TimeUnit::Duration: return QObject::tr("%1 of the run").arg(toQt(formatExact(time.number())));
    case TimeUnit::Epoch:
    case TimeUnit::Second: break;
  }
  return toQt(time.text());
}

namespace {

/// "9 global batches", or "4,608 samples, 9 global batches".
QString lengthText(const PlannedLength& planned) {
  const QString text = timeText(planned.length);
  if (planned.length.unit() == TimeUnit::Batch || !planned.batches) return text;
  if (planned.batches == 0) return QObject::tr("%1, within the first global batch").arg(text);
  return QObject::tr("%1, %2").arg(text, timeText(Time::of(*planned.batches, TimeUnit::Batch)));
}

void addTotals(std::vector<PlanFact>& facts, const PlanPreview& plan) {
  const Plan::Totals& totals = plan.totals;
  if (totals.batches)
    facts.push_back({QObject::tr("Global batches"), integerText(*totals.batches), {}});
  else
    facts.push_back({QObject::tr("Length"), toQt(plan.maxDuration.text()),
                     QObject::tr("The number of steps is known only during the run")});
  if (const auto rule = plan.resolved.find("batch.growth.increase_function"); rule != plan.resolved.end())
    facts.push_back({QObject::tr("Batch growth"), toQt(rule->second),
                     QObject::tr("The expression that the rule stands for, with the values of this run")});
  if (totals.steps) facts.push_back({QObject::tr("Optimizer steps"), integerText(*totals.steps), {}});
  if (totals.epochs)
    facts.push_back({QObject::tr("Epochs"), toQt(formatValue(*totals.epochs)), toQt(formatExact(*totals.epochs))});
  if (totals.samples)
    facts.push_back(
        {QObject::tr("Samples"), countText(static_cast<double>(*totals.samples)), integerText(*totals.samples)});
  if (totals.tokens && plan.lengthsKnown)
    facts.push_back({QObject::tr("Tokens"), countText(static_cast<double>(*totals.tokens)), integerText(*totals.tokens),
                     QObject::tr("%1 tokens").arg(countText(static_cast<double>(*totals.tokens)))});
  else if (totals.tokens)
    facts.push_back({QObject::tr("Tokens"), QObject::tr("up to %1").arg(countText(static_cast<double>(*totals.tokens))),
                     QObject::tr("%1, if every sample has the maximum length").arg(integerText(*totals.tokens)),
                     QObject::tr("up to %1 tokens").arg(countText(static_cast<double>(*totals.tokens)))});
}

/// "until 0.8dur, 800 global batches: data.max_seq_len: 512".
QString stageText(const PlannedRunStage& stage) {
  const QStringList changes = toQt(stage.changes);
  QString text = QObject::tr("until %1").arg(toQt(stage.until.text()));
  if (stage.batches)
    text +=
        QStringLiteral(", ") + plural(*stage.batches, QObject::tr("%n global batch"), QObject::tr("%n global batches"));
  return changes.isEmpty() ? text : text + QStringLiteral(": ") + changes.join(QStringLiteral(", "));
}

void addRunStages(std::vector<PlanFact>& facts, const PlanPreview& plan) {
  if (plan.runStages.empty()) return;
  QStringList lines;
  for (const PlannedRunStage& stage : plan.runStages) lines << stageText(stage);
  facts.push_back({QObject::tr("Stages of the run"), lines.join(QLatin1Char('\n')),
                   QObject::tr("Weights, optimizer moments and clocks go on from stage to stage")});
}

/// The mean of the run, and the range over its stages where they differ.
void addTokensPerStep(std::vector<PlanFact>& facts, const PlanPreview& plan) {
  std::optional<double> least, most;
  for (const PlannedRange& stage : plan.stages) {
    if (!stage.reached) continue;
    const double tokens = static_cast<double>(stage.stepUnits) * stage.tokensPerUnit.value_or(plan.units.tokens);
    least = std::min(least.value_or(tokens), tokens);
    most = std::max(most.value_or(tokens), tokens);
  }
  if (!most || *most <= 0) return;
  const Plan::Totals& totals = plan.totals;
  const bool counted = plan.lengthsKnown && totals.tokens && totals.steps && *totals.steps > 0;
  const double mean = counted ? static_cast<double>(*totals.tokens) / static_cast<double>(*totals.steps) : *most;
  const QString one =
      (plan.lengthsKnown ? QObject::tr("%1 on average") : QObject::tr("up to %1")).arg(integerText(std::llround(mean)));
  const QString range =
      QObject::tr("%1 to %2, by stage").arg(integerText(std::llround(*least)), integerText(std::llround(*most)));
  const QString value = *least == *most ? one : counted ? QObject::tr("%1; %2").arg(one, range) : range;
  facts.push_back({QObject::tr("Tokens per step"), value,
                   counted             ? QObject::tr("Over all devices: the tokens of the run by its optimizer steps")
                   : plan.lengthsKnown ? QObject::tr("Over all devices")
                                       : QObject::tr("Over all devices, if every sample has the maximum length")});
}

/// "Weights: 2.08 MiB", one line per nonzero part.
QString partsText(const TrainingMemory& memory) {
  const std::pair<QString, std::int64_t> parts[] = {
      {QObject::tr("Weights: %1"), memory.weights},
      {QObject::tr("Gradients: %1"), memory.gradients},
      {QObject::tr("Optimizer moments: %1"), memory.moments},
      {QObject::tr("16-bit copies of the weights: %1"), memory.copies},
      {QObject::tr("Activations saved for the backward pass: %1"), memory.activations},
      {QObject::tr("Head, with a chunk of logits: %1"), memory.head},
      {QObject::tr("Gradients in transit: %1"), memory.work}};
  QStringList lines;
  for (const auto& [name, bytes] : parts)
    if (bytes > 0) lines << name.arg(toQt(formatBytes(bytes)));
  return lines.join(QLatin1Char('\n'));
}

QString microBatchText(const MemoryForecast& forecast) {
  using From = MemoryForecast::SizeSource;
  const QString text = QObject::tr("Micro-batch: %1 x %2 tokens", "sequences x their length")
                           .arg(integerText(forecast.sequencesOf(forecast.units)), integerText(forecast.longest));
  switch (forecast.sizeSource) {
    case From::Config: return text;
    case From::ProcessorRule: return QObject::tr("%1, chosen by auto on a processor").arg(text);
    case From::Limit: return QObject::tr("%1, expected from auto within the memory limit").arg(text);
    case From::Device: break;
  }
  return (forecast.fillsDevice ? QObject::tr("%1; the search at launch takes the largest that fits")
                               : QObject::tr("%1, if it fits according to the search at launch"))
      .arg(text);
}

/// "2 layers of width 128, 4.37M parameters".
void addModel(std::vector<PlanFact>& facts, const std::optional<MemoryForecast>& forecast) {
  if (!forecast) return;
  const ModelShape& shape = forecast->shape;
  const std::int64_t parameters = shape.parameterCount();
  facts.push_back(
      {QObject::tr("Model"),
       plural(shape.layers, QObject::tr("%n layer of width %1, %2 parameters"),
              QObject::tr("%n layers of width %1, %2 parameters"))
           .arg(integerText(shape.hiddenSize), countText(static_cast<double>(parameters))),
       QObject::tr("%1 parameters, a vocabulary of %2").arg(integerText(parameters), integerText(shape.vocabSize))});
}

void addMemory(std::vector<PlanFact>& facts, const PlanEstimates& estimates) {
  const auto& forecast = estimates.memory;
  if (!forecast) return;
  const bool searched = forecast->sizeSource == MemoryForecast::SizeSource::Device;
  const QString value = (searched && forecast->fillsDevice ? QObject::tr("needs at least %1 per device")
                         : searched                        ? QObject::tr("needs up to %1 per device")
                                                           : QObject::tr("needs about %1 per device"))
                            .arg(toQt(formatBytes(forecast->perDevice.total())));
  const QString ofLimit = estimates.memoryLimit ? QObject::tr("%1 of %2", "memory of a step, and its limit")
                                                      .arg(value, toQt(formatBytes(*estimates.memoryLimit)))
                                                : value;
  facts.push_back({QObject::tr("Memory"), ofLimit,
                   QObject::tr("Model, optimizer and activations at the memory peak of a step, without the program "
                               "and its libraries:\n%1\n%2")
                       .arg(partsText(forecast->perDevice), microBatchText(*forecast)),
                   value});
}

/// "up to 1 min 30 s", of a sweep "12 min for all 8 runs, 1 min 30 s for run 1".
QString durationText(double seconds, bool lengthsKnown, const PlanEstimates& estimates) {
  const QString one = toQt(formatDuration(seconds));
  if (estimates.runs == 1) return lengthsKnown ? one : QObject::tr("up to %1").arg(one);
  const QString count = integerText(estimates.runs);
  if (!estimates.totalSeconds)
    return (lengthsKnown ? QObject::tr("%1 for run %2 of %3") : QObject::tr("up to %1 for run %2 of %3"))
        .arg(one, integerText(estimates.number), count);
  return (lengthsKnown ? QObject::tr("%1 for all %2 runs, %3 for run %4")
                       : QObject::tr("up to %1 for all %2 runs, %3 for run %4"))
      .arg(toQt(formatDuration(*estimates.totalSeconds)), count, one, integerText(estimates.number));
}

/// A long name without its middle.
QString shortName(const QString& name) {
  constexpr qsizetype kEach = 12;
  return name.size() <= 2 * kEach ? name : name.left(kEach) + QStringLiteral("…") + name.right(kEach);
}

void addDuration(std::vector<PlanFact>& facts, const PlanPreview& plan, const PlanEstimates& estimates) {
  if (!estimates.cost || estimates.cost->seconds <= 0) return;
  const RunCost& cost = *estimates.cost;
  const QString time = durationText(cost.seconds, plan.lengthsKnown, estimates);
  if (cost.speed)
    facts.push_back(
        {QObject::tr("Expected duration"),
         (cost.speed->training ? QObject::tr("%1, at %2 tok/s by run %3, which is training")
                               : QObject::tr("%1, at %2 tok/s by run %3"))
             .arg(time, countText(cost.tokens / cost.seconds), shortName(toQt(cost.speed->run))),
         QObject::tr("Training time without evaluation and checkpoints. The speed follows from the newest "
                     "run on such devices with these settings, else with this model, else with one of about its "
                     "size: %1")
             .arg(toQt(cost.speed->run)),
         time});
  else
    facts.push_back({QObject::tr("Expected duration"), QObject::tr("%1, a rough guess").arg(time),
                     QObject::tr("Training time without evaluation and checkpoints, guessed from the number of "
                                 "operations: no such model has been trained on such devices in this workspace yet"),
                     QObject::tr("%1 (a rough guess)").arg(time)});
}

/// The last stage that the run reaches takes the steps that the others leave.
void countLastSteps(std::vector<PlannedRange>& stages, std::optional<std::int64_t> left) {
  const auto end = std::ranges::find(stages, false, &PlannedRange::reached);
  if (!left || end == stages.begin() || std::prev(end)->optimizerSteps) return;
  for (auto stage = stages.begin(); stage != std::prev(end); ++stage) {
    if (!stage->optimizerSteps) return;
    *left -= *stage->optimizerSteps;
  }
  std::prev(end)->optimizerSteps = left;
}

}  // namespace

void samplePlan(const RunPlan& plan, std::int64_t batches, std::vector<QPointF>& rate, std::vector<QPointF>& stepSize,
                std::vector<PlanClock>* clocks) {
  for (const std::int64_t batch : representativeBatches(plan, batches)) {
    const auto point = plan.pointAt(Time::of(batch, TimeUnit::Batch));
    if (!point.ok()) return;
    const auto done = static_cast<double>(batch + 1);  // x of its metrics row
    rate.emplace_back(done, point->learningRate);
    stepSize.emplace_back(done, static_cast<double>(point->stepSamples));
    if (clocks != nullptr) clocks->push_back({batch, point->at.sample, point->at.token});
  }
}

std::vector<QPointF> withoutEpochEnds(const std::vector<QPointF>& sizes) {
  std::vector<QPointF> kept;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool isInner = i > 0 && i + 1 < sizes.size();
    const bool isRest = isInner && sizes[i].y() < sizes[i - 1].y() && sizes[i - 1].y() == sizes[i + 1].y();
    if (!isRest) kept.push_back(sizes[i]);
  }
  return kept;
}

Result<RunPlan> resolvePlan(const TrainConfig& config, const PlanAssumptions& assumptions) {
  const auto input = [&, index = std::size_t{0}](const RunStage& stage) mutable -> Result<RunPlan::StageInput> {
    RunPlan::StageInput made;
    const std::size_t stageIndex = index++;
    if (readsSameData(stage.config, config)) made.lengths = assumptions.lengths;
    if (!made.lengths && stageIndex < assumptions.stageLengths.size())
      made.lengths = assumptions.stageLengths[stageIndex];
    if (!made.lengths) made.lengths = assumedLengths(config, stage.config, assumptions);
    made.devices.devices = assumptions.devices;
    made.devices.microbatchUnits = stage.config.batch.deviceTrainMicrobatchSize.value_or(
        automaticMicrobatch(stage.config, made.lengths.get(), assumptions.devices));
    return made;
  };
  return RunPlan::resolve(config, input);
}

std::optional<PlannedEnd> plannedEnd(const TrainConfig& config, const PlanAssumptions& assumptions) {
  const auto plan = resolvePlan(config, assumptions);
  if (!plan.ok()) return std::nullopt;
  return PlannedEnd{plan->totals(), totalsOfStages(*plan), warningsOf(config, *plan)};
}

namespace {

/// Plans what is known of growth by what the run measures: a length in global batches, and the rate if it does not
/// follow from the sizes: with twice the size it is the same.
void previewGrowth(const TrainConfig& config, const PlanAssumptions& assumptions, PlanPreview& preview) {
  if (preview.totals.batches || !config.batch.growth.enabled() || !config.stages.empty() ||
      preview.maxDuration.unit() != TimeUnit::Batch)
    return;
  preview.totals.batches = preview.maxDuration.count();
  TrainConfig constant = config;
  constant.batch.growth = {};
  const auto plan = resolvePlan(constant, assumptions);
  constant.batch.globalTrainBatchSize *= 2;
  const auto doubled = resolvePlan(constant, assumptions);
  if (!plan.ok() || !doubled.ok()) return;
  std::vector<QPointF> rate;
  for (std::int64_t i = 0; i <= kPlanPoints; ++i) {
    const std::int64_t batch = (*preview.totals.batches - 1) * i / kPlanPoints;
    const Time at = Time::of(batch, TimeUnit::Batch);
    const auto own = plan->pointAt(at), other = doubled->pointAt(at);
    if (!own.ok() || !other.ok() || own->learningRate != other->learningRate) return;
    const QPointF point(static_cast<double>(batch + 1), own->learningRate);
    if (rate.empty() || rate.back() != point) rate.push_back(point);
  }
  preview.rate = std::move(rate);
}

}  // namespace

Result<PlanPreview> previewPlan(const TrainConfig& config, const PlanAssumptions& assumptions) {
  ASSIGN_OR_RETURN(const auto plan, resolvePlan(config, assumptions));
  PlanPreview preview;
  preview.stages = plan.plannedRanges();
  preview.runStages = runStagesOf(plan);
  preview.units = unitsOf(plan.first());
  preview.maxDuration = plan.maxDuration();
  preview.warmup = lengthNamed(plan.first(), {"scheduler.t_warmup", "scheduler.parts[0].t_warmup"});
  preview.rampup = lengthNamed(plan.first(), {"batch.rampup.duration"});
  preview.totals = plan.totals();
  countLastSteps(preview.stages, preview.totals.steps);
  preview.stageTotals = totalsOfStages(plan);
  preview.warnings = warningsOf(config, plan);
  preview.fill = plan.first().fill();
  preview.maxTokens = config.batch.tokens.maxTokens;
  preview.lengthsKnown = assumptions.lengths != nullptr || assumptions.tokensPerSample > 0;
  preview.length = plan.first().runLength();
  preview.resolved = plan.first().resolved();
  if (const Plan::Totals& all = preview.totals; all.batches) {
    samplePlan(plan, *all.batches, preview.rate, preview.stepSize, &preview.clocks);
    if (all.samples && all.tokens) preview.clocks.push_back({*all.batches, *all.samples, *all.tokens});
  }
  RETURN_IF_ERROR(plan.intact());
  previewGrowth(config, assumptions, preview);
  return preview;
}

Result<RunPlan> restorePlan(const TrainConfig& config, const ResolvedValues& resolved) {
  const auto devices = std::max<std::int64_t>(1, std::llround(numberNamed(resolved, "devices.count").value_or(1)));
  return RunPlan::restore(config, resolved, [&](const RunStage& stage) -> Result<RunPlan::StageInput> {
    const ResolvedValues values = valuesOfStage(resolved, stage.field);
    const auto number = [&](const char* name, double otherwise) {
      return numberNamed(values, name).value_or(otherwise);
    };
    const double samples = number("data.samples_per_epoch", 0);
    const double perBatch = std::max(1.0, number("scheduler.samples_per_batch", 1));
    const double tokens = std::max(1.0, number("scheduler.tokens_per_batch", perBatch) / perBatch);
    RunPlan::StageInput input;
    if (samples > 0)
      input.lengths = std::make_shared<EqualLengths>(static_cast<std::int64_t>(samples),
                                                     static_cast<std::uint32_t>(std::lround(tokens)));
    input.devices.devices = devices;
    input.devices.microbatchUnits =
        std::max<std::int64_t>(1, std::llround(number("batch.device_train_microbatch_size", 1)));
    return input;
  });
}

std::optional<std::int64_t> estimateSamples(const DataConfig& data, std::int64_t vocabulary, std::int64_t bytes) {
  const auto longest = static_cast<double>(std::max<std::int64_t>(3, data.maxSeqLen) - 2);
  if (data.format == TextFormat::Demo) {
    const double pieces = std::ceil(kDemoTokensPerParagraph / longest);
    return std::llround(static_cast<double>(DemoCorpusSpec{}.paragraphs) * (1.0 - data.holdout.value_or(0.0)) * pieces);
  }
  const double tokens = static_cast<double>(bytes) / expectedBytesPerToken(vocabulary);
  if (tokens <= 0) return std::nullopt;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(tokens / longest));
}

std::int64_t samplesFromOtherLengths(const Lengths& known, std::int64_t knownLongest, std::int64_t longest,
                                     std::int64_t otherwise) {
  constexpr std::int64_t kEnds = 2;  // [CLS] and [SEP] of each sample
  if (longest >= knownLongest) return otherwise > 0 ? std::min(otherwise, known.size()) : known.size();
  const std::int64_t room = std::max<std::int64_t>(1, longest - kEnds);
  std::int64_t pieces = 0;
  for (std::int64_t sample = 0; sample < known.size(); ++sample)
    pieces += std::max<std::int64_t>(1, ceilDiv(static_cast<std::int64_t>(known.at(sample)) - kEnds, room));
  return pieces;
}

QString headline(const std::vector<PlanFact>& facts) {
  QStringList parts;
  for (const PlanFact& fact : facts)
    if (!fact.shortText.isEmpty()) parts << fact.shortText;
  return parts.join(QStringLiteral(" · "));
}

std::vector<PlanFact> planFacts(const PlanPreview& plan, const PlanEstimates& estimates) {
  std::vector<PlanFact> facts;
  if (plan.stages.empty()) return facts;
  addModel(facts, estimates.memory);
  addTotals(facts, plan);
  addRunStages(facts, plan);
  addTokensPerStep(facts, plan);
  facts.push_back({QObject::tr("Warm-up"), plan.warmup ? lengthText(*plan.warmup) : QObject::tr("none"),
                   plan.warmup ? toQt(plan.warmup->length.text()) : QString()});
  if (plan.rampup)
    facts.push_back({QObject::tr("Ramp-up"), lengthText(*plan.rampup), toQt(plan.rampup->length.text())});
  if (plan.fill && plan.maxTokens)
    facts.push_back(
        {QObject::tr("Fill"),
         QObject::tr("%1 % of %2 tokens").arg(QString::number(100 * *plan.fill, 'f', 1), integerText(*plan.maxTokens)),
         plan.lengthsKnown ? QObject::tr("Share of the token budget that holds text in the first epoch")
                           : QObject::tr("Share of the token budget that holds text in the first epoch, "
                                         "if every sample has the maximum length")});
  addMemory(facts, estimates);
  addDuration(facts, plan, estimates);
  return facts;
}

namespace {

constexpr qsizetype kSampleCharacters = 120;

/// The beginning of the first document of a file; empty if it cannot be read.
std::string firstDocument(const std::filesystem::path& file, const DataConfig& data) {
  auto reader = DocumentReader::open(file, data.format, data.textField);
  std::string document;
  if (!reader.ok()) return {};
  const auto read = reader->next(document);
  return read.ok() && *read ? document : std::string();
}

QString oneLine(const std::string& text) {
  // Enough bytes for the characters shown; a cut one at the end is dropped with them.
  const QString start =
      QString::fromUtf8(text.data(), std::min<qsizetype>(static_cast<qsizetype>(text.size()), 8 * kSampleCharacters))
          .simplified();
  return start.size() > kSampleCharacters ? start.left(kSampleCharacters) + QStringLiteral("…") : start;
}

/// For equal data: both runs have the same number of steps and tokens.
bool sameLength(const TrainConfig& a, const TrainConfig& b) {
  return a.maxDuration == b.maxDuration && a.scaleScheduleRatio == b.scaleScheduleRatio && a.batch == b.batch &&
         a.stages == b.stages;
}

template <typename Number>
std::optional<Number> sumOf(const std::vector<PlannedRun>& runs, std::optional<Number> PlannedRun::*value) {
  Number sum = 0;
  for (const PlannedRun& run : runs) {
    if (!(run.*value)) return std::nullopt;
    sum += *(run.*value);
  }
  return sum;
}

std::vector<std::string> valuesOf(const TrainConfig& config, const std::vector<SweepAxis>& axes) {
  std::vector<std::string> values;
  for (const SweepAxis& axis : axes) values.push_back(findField(axis.field)->get(config));
  return values;
}

}  // namespace

TextReview reviewText(const DataConfig& data, const std::filesystem::path& baseFolder) {
  TextReview review;
  review.demo = data.format == TextFormat::Demo;
  if (review.demo) {
    review.sample = oneLine(demoCorpus({.seed = static_cast<std::uint64_t>(data.demoSeed), .paragraphs = 1}));
    return review;
  }
  const auto files = findTextFiles(data.train.names(), baseFolder, data.format);
  if (!files.ok() || files->empty()) return review;
  review.files = static_cast<std::int64_t>(files->size());
  review.bytes = sizeOnDisk(*files);
  review.sample = oneLine(firstDocument(files->front(), data));
  return review;
}

QString textLine(const TextReview& text) {
  if (text.demo) return QObject::tr("Text of the demo, generated");
  if (text.files == 0) return {};
  return plural(text.files, QObject::tr("%n file, %1"), QObject::tr("%n files, %1")).arg(toQt(formatBytes(text.bytes)));
}

std::vector<PlannedRun> planRuns(const std::vector<LoadedConfig>& runs, const std::vector<SweepAxis>& axes,
                                 const PlanAssumptions& assumptions, const CostOf& costOf) {
  std::vector<PlannedRun> planned;
  if (runs.empty()) return planned;
  const TrainConfig& first = runs.front().config;
  const auto firstEnd = plannedEnd(first, assumptions);
  for (const LoadedConfig& run : runs) {
    const TrainConfig& config = run.config;
    PlannedRun& made = planned.emplace_back(PlannedRun{runName(config), valuesOf(config, axes), {}, {}, {}, {}});
    if (config.data != first.data || config.tokenizer != first.tokenizer) continue;
    const auto end = sameLength(config, first) ? firstEnd : plannedEnd(config, assumptions);
    if (!end) continue;
    made.steps = end->totals.steps;
    made.tokens = end->totals.tokens;
    made.warnings = end->warnings;
    if (const auto cost = costOf(run, end->stageTotals)) made.seconds = cost->seconds;
  }
  return planned;
}

std::optional<double> totalSeconds(const std::vector<PlannedRun>& runs) {
  return sumOf(runs, &PlannedRun::seconds);
}

std::optional<std::int64_t> totalTokens(const std::vector<PlannedRun>& runs) {
  return sumOf(runs, &PlannedRun::tokens);
}

std::vector<FieldProblem> otherWarnings(const std::vector<PlannedRun>& runs, const std::vector<FieldProblem>& shown) {
  std::vector<FieldProblem> known = shown, others;
  for (const PlannedRun& run : runs)
    for (const FieldProblem& warning : run.warnings) {
      const auto isSame = [&](const FieldProblem& other) {
        return other.field == warning.field && other.message == warning.message;
      };
      if (std::ranges::any_of(known, isSame)) continue;
      known.push_back(warning);
      others.push_back({warning.field, inContextText(runContextText(run.name), warning.message)});
    }
  return others;
}

std::vector<FieldProblem> sweepWarnings(const std::vector<SweepAxis>& axes) {
  const auto varies = [&axes](const char* field) {
    return std::ranges::find(axes, field, &SweepAxis::field) != axes.end();
  };
  if (!varies("batch.tokens.max_tokens") || varies("batch.global_train_batch_size")) return {};
  return {
      {"batch.tokens.max_tokens",
       "differs between the runs while batch.global_train_batch_size does not, so their steps have different numbers "
       "of tokens"}};
}

std::vector<FieldProblem> reviewWarnings(const TrainConfig& config, const PlanPreview& plan, const Lengths* lengths) {
  std::vector<FieldProblem> warnings;
  if (lengths != nullptr)
    if (const auto enough = checkEnoughSamples(config, *lengths); !enough.ok())
      warnings.push_back({"batch.global_train_batch_size", enough.error().message});
  for (const FieldProblem& mistake : findLikelyMistakes(config)) warnings.push_back(mistake);
  for (const FieldProblem& warning : plan.warnings) warnings.push_back(warning);
  return warnings;
}

}  // namespace batchwise
