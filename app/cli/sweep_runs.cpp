// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_runs.h"

#include <set>

#include "app/cli/output.h"
#include "core/base/return_if_error.h"
#include "core/config/messages.h"
#include "core/config/sweep.h"
#include "core/run/launch/launch_check.h"

namespace batchwise::cli {
namespace {

/// Turns "optimizer.lr=1e-4,5e-4" into an assignment of a list.
Result<std::string> listAssignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  const Field* field = equals == std::string::npos ? nullptr : findField(text.substr(0, equals));
  if (field == nullptr)
    return Error::config("'" + text + "' is not of the form field=a,b,c with a field of the configuration");
  if (field->path == "name")
    return Error::config(
        "--over name: runs that differ by their names alone are equal; vary another field, as seed, and each run is "
        "named for its values");
  const auto values = sweepValues(*field, text.substr(equals + 1));
  if (!values.ok()) return Error::config(messages::inContext(field->path, values.error().message));
  std::string list;
  for (const std::string& value : *values) list += (list.empty() ? "" : ", ") + value;
  return field->path + "=[" + list + "]";
}

}  // namespace

Result<std::vector<LoadedConfig>> expandSweep(const ConfigArguments& arguments, const std::vector<std::string>& over) {
  std::vector<std::string> assignments = arguments.assignments;
  std::set<std::string> fields;
  for (const std::string& one : over) {
    ASSIGN_OR_RETURN(const auto list, listAssignment(one));
    const std::string field = list.substr(0, list.find('='));
    if (!fields.insert(field).second)
      return Error::config("--over names " + field + " twice; give all its values at once, as " + field + "=a,b,c");
    assignments.push_back(list);
  }
  const SweepConfig sweep = loadSweep(arguments.config, assignments);
  if (!sweep.first.ok()) return Error::config(sweep.first.errorText());
  showNotes(sweep.first);
  ASSIGN_OR_RETURN(auto runs, sweepRuns(sweep.first, sweep.axes));
  for (LoadedConfig& run : runs) {
    run = checkedForLaunch(std::move(run));
    if (!run.ok())
      return sweep.axes.empty() ? Error::config(run.errorText())
                                : Error::config(messages::inContext("run " + run.config.name, run.errorText()));
  }
  return runs;
}

}  // namespace batchwise::cli
