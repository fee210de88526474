// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace batchwise {

/// An entry of an index of one text column: the text and the number of its row. It carries no checksum.
struct IndexedText {
  std::int64_t index = 0;  ///< its root page: entries of one index have the same
  std::string text;
  std::int64_t row = 0;
};

struct RunNames {
  std::string id, name;  ///< empty: not found
};

/// Ids and names of runs by number, as the indexes on both repeat them. The index of the ids is told by their form,
/// that of the names by what is left: `checkpointIds` are those of the checkpoints, whose indexes look alike. What
/// contradicts itself is left out.
std::map<std::int64_t, RunNames> indexedRunNames(const std::vector<IndexedText>& entries,
                                                 const std::set<std::string>& checkpointIds);

}  // namespace batchwise
