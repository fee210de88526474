// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/run_names.h"

#include <algorithm>

#include "core/store/records.h"

namespace batchwise {
namespace {

bool isRunId(const std::string& text) {
  static const std::size_t length = newRecordId().size();
  return text.size() == length &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

/// Ids of checkpoints, or the paths of their files.
bool isOfCheckpoints(const std::vector<const IndexedText*>& index, const std::set<std::string>& checkpointIds) {
  return std::any_of(index.begin(), index.end(), [&](const IndexedText* entry) {
    return entry->text.starts_with("checkpoints/") || checkpointIds.contains(entry->text);
  });
}

}  // namespace

std::map<std::int64_t, RunNames> indexedRunNames(const std::vector<IndexedText>& entries,
                                                 const std::set<std::string>& checkpointIds) {
  std::map<std::int64_t, std::vector<const IndexedText*>> indexes;
  for (const IndexedText& entry : entries) indexes[entry.index].push_back(&entry);
  std::map<std::int64_t, RunNames> runs;
  bool hasIds = false;
  for (const auto& [root, index] : indexes) {
    if (isOfCheckpoints(index, checkpointIds)) continue;
    // Names may look like ids: the index of the ids was made first.
    const bool ids =
        !hasIds && std::all_of(index.begin(), index.end(), [](const auto* one) { return isRunId(one->text); });
    hasIds = hasIds || ids;
    for (const IndexedText* entry : index) (ids ? runs[entry->row].id : runs[entry->row].name) = entry->text;
  }
  return runs;
}

}  // namespace batchwise
