// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

/// A series with its points in ascending order of global batch, or of optimizer step for "step." series.
struct NamedSeries {
  std::string name;
  std::vector<SeriesPoint> points;
};

/// Reads the series `names` of a run, in that order; all if `names` is empty. Fails with NotFound for an unknown name,
/// listing the known ones.
Result<std::vector<NamedSeries>> readSeries(const Workspace& workspace, const std::string& run,
                                            const std::vector<std::string>& names, Workspace::Rows rows);

/// Formats a table as RFC 4180 CSV in full precision: a row per global batch, first the column `ba`, then one per
/// series. "step." series have their own rows after these, one per step, with `ba` empty and a second column `step`
/// (optimizer steps) that exists only with such series. A cell is empty where a series has no value; non-finite values
/// are nan, inf or -inf. Of several points at the same position the last one is used.
std::string metricsCsv(const std::vector<NamedSeries>& series);

}  // namespace batchwise
