// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/run_event.h"

namespace batchwise {

/// What a stored row reports about. Each kind is unique by (run, segment, position).
enum class RowKind {
  Batch = 0,  ///< a global batch; position: clock ba
  Eval = 1,   ///< an evaluation ("eval." series); position: clock ba
  Step = 2,   ///< a step inside a global batch ("step." series); position: optimiser steps
};
constexpr int kRowKinds = 3;

/// The kind of row that holds a series of this name.
RowKind kindOfSeries(std::string_view name);

/// A value by name, as it comes from an event.
struct NamedValue {
  std::string series;
  double value = 0;
};
/// Every series of a row; names as in workspace.h, with "step." before them for a row inside a global batch.
std::vector<NamedValue> valuesOf(const MetricsRow& row);
std::vector<NamedValue> valuesOf(const EvalResult& result);
RowKind kindOf(const MetricsRow& row);
std::int64_t positionOf(const MetricsRow& row);

}  // namespace batchwise
