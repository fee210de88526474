// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/store/salvage/sqlite_rows.h"

namespace batchwise {

/// What a row of a workspace from elsewhere must be to be taken in. Rows that can be made good are changed. One object
/// per workspace, which is asked for each row in the order of the tables.
class SalvageRules {
 public:
  /// Nothing if the row may be inserted, else why not.
  std::optional<std::string> judge(const TableShape& shape, Row& row);
  /// Id and name for a run whose row is lost: those of `indexed` if they can be, else new ones.
  RunNames namesOfLostRun(std::int64_t number, const std::map<std::int64_t, RunNames>& indexed);

 private:
  std::optional<std::string> judgeRun(const TableShape& shape, Row& row);

  std::set<std::string> runIds_, runNames_, checkpointIds_;
};

}  // namespace batchwise
