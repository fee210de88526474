// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

/// A series with its points, by ascending global batch; of a series of single steps ("step.loss") by optimiser step.
struct NamedSeries {
  std::string name;
  std::vector<SeriesPoint> points;
};

/// The series `names` of a run, in that order; all if `names` is empty. Fails with NotFound for a name that the run
/// does not have, listing those it has.
Result<std::vector<NamedSeries>> readSeries(const Workspace& workspace, const std::string& run,
                                            const std::vector<std::string>& names, Workspace::Rows rows);

/// A table in the form of RFC 4180: a row per global batch, the column `ba` first, then one per series, in full
/// precision. Series of single steps have rows of their own behind these, a row per step: `ba` is empty there, and a
/// second column `step`, which is there with such series only, counts optimiser steps. A cell is empty where a series
/// has no value; a value that is not finite is nan, inf or -inf. Of several points of one series at the same place the
/// last counts.
std::string metricsCsv(const std::vector<NamedSeries>& series);

}  // namespace batchwise
