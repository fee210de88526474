// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <optional>
#include <vector>

#include "core/run/launch/measured_speed.h"
#include "ui/presenters/plan_preview.h"

namespace batchwise {

/// A line of the list of facts about a plan.
struct PlanFact {
  QString name;
  QString value;
  QString toolTip;  ///< may be empty
  bool operator==(const PlanFact&) const = default;
};

/// What the run will have done at its end, and what it takes: steps, epochs, tokens, warm-up, duration. What is not
/// known is left out. Pure.
std::vector<PlanFact> planFacts(const PlanPreview& plan, const std::optional<MeasuredSpeed>& speed);

}  // namespace batchwise
