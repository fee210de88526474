// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/run_event.h"

namespace batchwise {

/// The subject of a stored row. A row is unique by (run, segment, kind, position).
enum class RowKind {
  Batch = 0,  ///< a global batch; position: clock ba
  Eval = 1,   ///< an evaluation ("eval." series); position: clock ba
  Step = 2,   ///< a step inside a global batch ("step." series); position: optimizer steps
};
constexpr int kRowKinds = 3;

RowKind kindOfSeries(std::string_view name);

struct NamedValue {
  std::string series;
  double value = 0;
};
/// Returns all series values of a row; names as in workspace.h, prefixed with "step." for a row inside a global batch.
std::vector<NamedValue> valuesOf(const MetricsRow& row);
std::vector<NamedValue> valuesOf(const EvalResult& result);
RowKind kindOf(const MetricsRow& row);
std::int64_t positionOf(const MetricsRow& row);

}  // namespace batchwise
