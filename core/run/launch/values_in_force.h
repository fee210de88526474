// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/batch/plan.h"
#include "core/store/records.h"

namespace batchwise {

/// The environment of a segment that goes on with `now`: the JSON object `environment` with the values that differ from
/// those at the launch, or were not there, under "resolved"; null for one of the schedule that is not there any more.
/// Requires an object.
std::string environmentWithValues(const std::string& environment, const ResolvedValues& atLaunch,
                                  const ResolvedValues& now);

/// A value that a resume has resolved anew.
struct ValueSince {
  std::string value;         ///< empty: there is none any more
  std::int64_t segment = 0;  ///< the first one, of those at the end of the run, in which it has been in force
};

/// Of a run: what takes the place of what was resolved at its launch, by name. Empty if nothing does.
std::map<std::string, ValueSince> valuesResolvedAnew(const RunDetail& run);

/// All values that the run was trained with last.
ResolvedValues valuesInForce(const RunDetail& run);

}  // namespace batchwise
