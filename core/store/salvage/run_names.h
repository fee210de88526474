// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace batchwise {

/// An entry of an index on one text column: the text and its row number. It has no checksum.
struct IndexedText {
  std::int64_t index = 0;  ///< root page of the index
  std::string text;
  std::int64_t row = 0;
};

struct RunNames {
  std::string id, name;  ///< empty if not found
};

/// Returns ids and names of runs by row number, from the entries of the indexes on both columns. The index of ids is
/// recognized by their form; indexes of `checkpointIds`, which look similar, are excluded; the remaining one holds
/// names. Omits contradictory entries.
std::map<std::int64_t, RunNames> indexedRunNames(const std::vector<IndexedText>& entries,
                                                 const std::set<std::string>& checkpointIds);

}  // namespace batchwise
