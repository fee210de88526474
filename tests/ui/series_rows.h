// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/store/metrics/metric_codec.h"
#include "ui/runs/run_series.h"

namespace batchwise::test {

inline void addValues(RunSeries& series, std::int64_t batch, const std::vector<NamedValue>& values) {
  for (const NamedValue& value : values) series.extend(value.series, {{static_cast<double>(batch), value.value}});
}

/// As the store has the row of a global batch. `wallMs`: when it was recorded; 0: unknown.
inline void addRow(RunSeries& series, const MetricsRow& row, std::int64_t wallMs = 0) {
  addValues(series, row.at.batch, valuesOf(row));
  if (wallMs > 0) addValues(series, row.at.batch, {{"wall", static_cast<double>(wallMs) / 1000.0}});
}

inline void addResult(RunSeries& series, const EvalResult& result) {
  addValues(series, result.at.batch, valuesOf(result));
}

}  // namespace batchwise::test
