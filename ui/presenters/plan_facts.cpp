// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/plan_facts.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

struct PlanFacts {
  Q_DECLARE_TR_FUNCTIONS(PlanFacts)
};

QString countText(double count) {
  return toQt(formatCount(count));
}

/// "9 global batches", or "4,608 samples, 9 global batches".
QString lengthText(const PlannedLength& planned) {
  const auto batches = [](std::int64_t count) { return PlanFacts::tr("%1 global batches").arg(integerText(count)); };
  if (planned.length.unit() == TimeUnit::Batch) return batches(planned.length.count());
  QString text = toQt(planned.length.text());
  if (planned.length.unit() == TimeUnit::Sample)
    text = PlanFacts::tr("%1 samples").arg(integerText(planned.length.count()));
  else if (planned.length.unit() == TimeUnit::Token)
    text = PlanFacts::tr("%1 tokens").arg(integerText(planned.length.count()));
  return planned.batches ? PlanFacts::tr("%1, %2").arg(text, batches(*planned.batches)) : text;
}

void addTotals(std::vector<PlanFact>& facts, const PlanPreview& plan) {
  const Plan::Totals& totals = plan.totals;
  if (totals.batches)
    facts.push_back({PlanFacts::tr("Global batches"), integerText(*totals.batches), {}});
  else
    facts.push_back({PlanFacts::tr("Length"), toQt(plan.maxDuration.text()),
                     PlanFacts::tr("How many steps that is, only the run itself can tell")});
  if (totals.steps) facts.push_back({PlanFacts::tr("Optimizer steps"), integerText(*totals.steps), {}});
  if (totals.epochs)
    facts.push_back({PlanFacts::tr("Epochs"), toQt(formatValue(*totals.epochs)), toQt(formatExact(*totals.epochs))});
  if (totals.samples)
    facts.push_back(
        {PlanFacts::tr("Samples"), countText(static_cast<double>(*totals.samples)), integerText(*totals.samples)});
  if (totals.tokens && plan.lengthsKnown)
    facts.push_back({PlanFacts::tr("Tokens"), countText(static_cast<double>(*totals.tokens)),
                     integerText(*totals.tokens),
                     PlanFacts::tr("%1 tokens").arg(countText(static_cast<double>(*totals.tokens)))});
  else if (totals.tokens)
    facts.push_back({PlanFacts::tr("Tokens"),
                     PlanFacts::tr("up to %1").arg(countText(static_cast<double>(*totals.tokens))),
                     PlanFacts::tr("%1, if every sample is as long as it may be").arg(integerText(*totals.tokens)),
                     PlanFacts::tr("up to %1 tokens").arg(countText(static_cast<double>(*totals.tokens)))});
}

/// Range over the stages that the run reaches.
void addTokensPerStep(std::vector<PlanFact>& facts, const PlanPreview& plan) {
  std::optional<double> least, most;
  for (const PlannedStage& stage : plan.stages) {
    if (!stage.reached) continue;
    const double tokens = static_cast<double>(stage.stepUnits) * plan.units.tokens;
    least = std::min(least.value_or(tokens), tokens);
    most = std::max(most.value_or(tokens), tokens);
  }
  if (!most || *most <= 0) return;
  const QString largest = integerText(std::llround(*most));
  const QString one = plan.lengthsKnown ? PlanFacts::tr("%1 on average") : PlanFacts::tr("up to %1");
  const QString value = *least == *most
                            ? one.arg(largest)
                            : PlanFacts::tr("%1 to %2, by stage").arg(integerText(std::llround(*least)), largest);
  facts.push_back({PlanFacts::tr("Tokens per step"), value,
                   plan.lengthsKnown ? PlanFacts::tr("Over all devices")
                                     : PlanFacts::tr("Over all devices, if every sample is as long as it may be")});
}

/// "Weights: 2.08 MiB", one line per nonzero part.
QString partsText(const TrainingMemory& memory) {
  const std::pair<QString, std::int64_t> parts[] = {
      {PlanFacts::tr("Weights: %1"), memory.weights},
      {PlanFacts::tr("Gradients: %1"), memory.gradients},
      {PlanFacts::tr("Moments of the optimizer: %1"), memory.moments},
      {PlanFacts::tr("Copies of the weights in 16 bits: %1"), memory.copies},
      {PlanFacts::tr("Activations kept for the backward pass: %1"), memory.activations},
      {PlanFacts::tr("Head, with a chunk of logits: %1"), memory.head},
      {PlanFacts::tr("Gradients on their way: %1"), memory.work}};
  QStringList lines;
  for (const auto& [name, bytes] : parts)
    if (bytes > 0) lines << name.arg(toQt(formatBytes(bytes)));
  return lines.join(QLatin1Char('\n'));
}

QString microBatchText(const MemoryForecast& forecast) {
  using From = MemoryForecast::SizeSource;
  const QString text = PlanFacts::tr("Micro-batch: %1 x %2 tokens", "sequences x their length")
                           .arg(integerText(forecast.sequencesOf(forecast.units)), integerText(forecast.longest));
  switch (forecast.sizeSource) {
    case From::Config: return text;
    case From::ProcessorRule: return PlanFacts::tr("%1, as auto has it on a processor").arg(text);
    case From::Limit: return PlanFacts::tr("%1, about what auto will find within the memory limit").arg(text);
    case From::Device: break;
  }
  return (forecast.fillsDevice ? PlanFacts::tr("%1; the search at launch takes the largest that fits")
                               : PlanFacts::tr("%1, if the search at launch finds that it fits"))
      .arg(text);
}

void addMemory(std::vector<PlanFact>& facts, const std::optional<MemoryForecast>& forecast) {
  if (!forecast) return;
  const bool searched = forecast->sizeSource == MemoryForecast::SizeSource::Device;
  const QString value = (searched && forecast->fillsDevice ? PlanFacts::tr("at least %1 per device")
                         : searched                        ? PlanFacts::tr("up to %1 per device")
                                                           : PlanFacts::tr("about %1 per device"))
                            .arg(toQt(formatBytes(forecast->perDevice.total())));
  facts.push_back({PlanFacts::tr("Memory"), value,
                   PlanFacts::tr("Tensors in the moment of a step that takes most:\n%1\n%2")
                       .arg(partsText(forecast->perDevice), microBatchText(*forecast)),
                   value});
}

/// "up to 1 min 30 s", of a sweep "12 min for all 8 runs, 1 min 30 s for this one".
QString durationText(double seconds, bool lengthsKnown, const PlanEstimates& estimates) {
  const QString one = toQt(formatDuration(seconds));
  if (estimates.runs == 1) return lengthsKnown ? one : PlanFacts::tr("up to %1").arg(one);
  const QString count = integerText(estimates.runs);
  if (!estimates.totalSeconds)
    return (lengthsKnown ? PlanFacts::tr("%1 for the first of %2 runs")
                         : PlanFacts::tr("up to %1 for the first of %2 runs"))
        .arg(one, count);
  return (lengthsKnown ? PlanFacts::tr("%1 for all %2 runs, %3 for the first")
                       : PlanFacts::tr("up to %1 for all %2 runs, %3 for the first"))
      .arg(toQt(formatDuration(*estimates.totalSeconds)), count, one);
}

void addDuration(std::vector<PlanFact>& facts, const PlanPreview& plan, const PlanEstimates& estimates) {
  const auto& speed = estimates.speed;
  if (!speed || !plan.totals.tokens || speed->tokensPerSec <= 0) return;
  const double seconds = static_cast<double>(*plan.totals.tokens) / speed->tokensPerSec;
  facts.push_back(
      {PlanFacts::tr("Expected duration"),
       PlanFacts::tr("%1, at the %2 tok/s of %3")
           .arg(durationText(seconds, plan.lengthsKnown, estimates), countText(speed->tokensPerSec), toQt(speed->run)),
       PlanFacts::tr("Training time without evaluation and checkpoints. The speed is that of the newest "
                     "finished run with this model preset"),
       durationText(seconds, plan.lengthsKnown, estimates)});
}

}  // namespace

QString headline(const std::vector<PlanFact>& facts) {
  QStringList parts;
  for (const PlanFact& fact : facts)
    if (!fact.shortText.isEmpty()) parts << fact.shortText;
  return parts.join(QStringLiteral(" · "));
}

std::vector<PlanFact> planFacts(const PlanPreview& plan, const PlanEstimates& estimates) {
  std::vector<PlanFact> facts;
  if (plan.stages.empty()) return facts;
  addTotals(facts, plan);
  addTokensPerStep(facts, plan);
  facts.push_back({PlanFacts::tr("Warm-up"), plan.warmup ? lengthText(*plan.warmup) : PlanFacts::tr("none"),
                   plan.warmup ? toQt(plan.warmup->length.text()) : QString()});
  if (plan.rampup)
    facts.push_back({PlanFacts::tr("Ramp-up"), lengthText(*plan.rampup), toQt(plan.rampup->length.text())});
  if (plan.fill && plan.maxTokens)
    facts.push_back({PlanFacts::tr("Fill"),
                     PlanFacts::tr("%1 % of %2 tokens")
                         .arg(QString::number(100 * *plan.fill, 'f', 1), integerText(*plan.maxTokens)),
                     plan.lengthsKnown
                         ? PlanFacts::tr("Share of the token budget that holds text in the first epoch")
                         : PlanFacts::tr("Share of the token budget that holds text in the first epoch, as if every "
                                         "sample were as long as it may be")});
  addMemory(facts, estimates.memory);
  addDuration(facts, plan, estimates);
  return facts;
}

}  // namespace batchwise
