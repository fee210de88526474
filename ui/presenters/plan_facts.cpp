// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/plan_facts.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

struct PlanFacts {
  Q_DECLARE_TR_FUNCTIONS(PlanFacts)
};

QString countText(double count) {
  return toQt(formatCount(count));
}

/// "9 global batches", or "4,608 samples (global batch 9)".
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
  if (totals.steps) facts.push_back({PlanFacts::tr("Optimiser steps"), integerText(*totals.steps), {}});
  if (totals.epochs)
    facts.push_back({PlanFacts::tr("Epochs"), toQt(formatValue(*totals.epochs)), toQt(formatExact(*totals.epochs))});
  if (totals.samples)
    facts.push_back(
        {PlanFacts::tr("Samples"), countText(static_cast<double>(*totals.samples)), integerText(*totals.samples)});
  if (totals.tokens && plan.lengthsKnown)
    facts.push_back(
        {PlanFacts::tr("Tokens"), countText(static_cast<double>(*totals.tokens)), integerText(*totals.tokens)});
  else if (totals.tokens)
    facts.push_back({PlanFacts::tr("Tokens"),
                     PlanFacts::tr("up to %1").arg(countText(static_cast<double>(*totals.tokens))),
                     PlanFacts::tr("%1, if every sample is as long as it may be").arg(integerText(*totals.tokens))});
}

/// Smallest to largest step among the stages that the run reaches.
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

void addDuration(std::vector<PlanFact>& facts, const PlanPreview& plan, const std::optional<MeasuredSpeed>& speed) {
  if (!speed || !plan.totals.tokens || speed->tokensPerSec <= 0) return;
  const double seconds = static_cast<double>(*plan.totals.tokens) / speed->tokensPerSec;
  facts.push_back({PlanFacts::tr("Expected duration"),
                   (plan.lengthsKnown ? PlanFacts::tr("%1, at the %2 tok/s of %3")
                                      : PlanFacts::tr("up to %1, at the %2 tok/s of %3"))
                       .arg(toQt(formatDuration(seconds)), countText(speed->tokensPerSec), toQt(speed->run)),
                   PlanFacts::tr("Training time without evaluation and checkpoints. The speed is that of the newest "
                                 "finished run with this model preset")});
}

}  // namespace

std::vector<PlanFact> planFacts(const PlanPreview& plan, const std::optional<MeasuredSpeed>& speed) {
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
  addDuration(facts, plan, speed);
  return facts;
}

}  // namespace batchwise
