// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>
#include <vector>

#include "core/run/launch/measured_speed.h"
#include "core/run/launch/memory_forecast.h"
#include "ui/presenters/plan_preview.h"

namespace batchwise {

/// A line of the list of facts about a plan.
struct PlanFact {
  QString name;
  QString value;
  QString toolTip;       ///< may be empty
  QString inShort = {};  ///< for the line above the charts; empty: not one of those that a person looks for first
  bool operator==(const PlanFact&) const = default;
};

/// What a person looks for first, in one line: "818k tokens · about 512 MiB per device · 1 min 30 s". Pure.
QString headline(const std::vector<PlanFact>& facts);

/// What is known about a plan from elsewhere.
struct PlanOutlook {
  std::optional<MeasuredSpeed> speed = {};    ///< of a run like it
  std::optional<MemoryForecast> memory = {};  ///< of a step
  std::int64_t runs = 1;                      ///< of the sweep whose first one the plan is
  std::optional<double> secondsOfAll = {};    ///< of a sweep: expected training time of its runs together
};

/// What the run will have done at its end, and what it takes: steps, epochs, tokens, warm-up, memory, duration. What is
/// not known is left out. Pure.
std::vector<PlanFact> planFacts(const PlanPreview& plan, const PlanOutlook& outlook);

}  // namespace batchwise
