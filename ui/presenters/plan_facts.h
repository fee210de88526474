// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>
#include <vector>

#include "core/run/launch/measured_speed.h"
#include "core/run/launch/memory_forecast.h"
#include "ui/presenters/plan_preview.h"

namespace batchwise {

/// One line of the plan summary.
struct PlanFact {
  QString name;
  QString value;
  QString toolTip;         ///< may be empty
  QString shortText = {};  ///< short form for headline(); empty: not part of it
  bool operator==(const PlanFact&) const = default;
};

/// Joins the short forms: "818k tokens · about 512 MiB per device · 1 min 30 s". Pure.
QString headline(const std::vector<PlanFact>& facts);

/// Estimates that are not part of the plan itself.
struct PlanEstimates {
  std::optional<MeasuredSpeed> speed = {};    ///< of a similar run
  std::optional<MemoryForecast> memory = {};  ///< of one optimizer step
  std::int64_t runs = 1;                      ///< size of the sweep; the plan is that of its first run
  std::optional<double> totalSeconds = {};    ///< training time of all runs of the sweep
};

/// Totals and costs of a run: steps, epochs, tokens, warm-up, memory, duration. Unknown values are omitted. Pure.
std::vector<PlanFact> planFacts(const PlanPreview& plan, const PlanEstimates& estimates);

}  // namespace batchwise
