// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/store/salvage/sqlite_rows.h"

namespace batchwise {

struct RunNames {
  std::string id, name;  ///< empty if not found
};

/// Returns ids and names of runs by row number, from the entries of the indexes on both columns. The index of ids is
/// recognized by their form; indexes of `checkpointIds`, which look similar, are excluded; the remaining one holds
/// names. Omits contradictory entries.
std::map<std::int64_t, RunNames> indexedRunNames(const std::vector<IndexedText>& entries,
                                                 const std::set<std::string>& checkpointIds);

/// Validates rows of an untrusted workspace and repairs them where possible. Use one object per workspace, and pass the
/// rows in the order of the tables.
class SalvageRules {
 public:
  /// Returns nullopt if the row may be inserted, otherwise the reason. May repair `row`.
  std::optional<Message> validate(const TableShape& shape, Row& row);
  /// Returns id and name for a run whose row is lost: those in `indexed` if valid and unused, otherwise new ones.
  RunNames namesOfLostRun(std::int64_t number, const std::map<std::int64_t, RunNames>& indexed);

 private:
  std::optional<Message> validateRun(const TableShape& shape, Row& row);

  std::set<std::string> runIds_, runNames_, checkpointIds_;
};

}  // namespace batchwise
