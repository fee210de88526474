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

/// Returns whether `text` has the form "RUN-SEGMENT-STEP".
bool isCheckpointId(const std::string& text) {
  const auto isNumber = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t step = text.rfind('-');
  const std::size_t segment = step == std::string::npos || step == 0 ? std::string::npos : text.rfind('-', step - 1);
  if (segment == std::string::npos) return false;
  const std::string_view all = text;
  return isRunId(text.substr(0, segment)) && isNumber(all.substr(segment + 1, step - segment - 1)) &&
         isNumber(all.substr(step + 1));
}

/// Returns whether the index is on checkpoint ids or on paths of checkpoint files.
bool isOfCheckpoints(const std::vector<const IndexedText*>& index, const std::set<std::string>& checkpointIds) {
  return std::any_of(index.begin(), index.end(), [&](const IndexedText* entry) {
    return entry->text.starts_with("checkpoints/") || checkpointIds.contains(entry->text) ||
           isCheckpointId(entry->text);
  });
}

}  // namespace

std::map<std::int64_t, RunNames> indexedRunNames(const std::vector<IndexedText>& entries,
                                                 const std::set<std::string>& checkpointIds) {
  std::map<std::int64_t, std::vector<const IndexedText*>> indexes;
  for (const IndexedText& entry : entries) indexes[entry.index].push_back(&entry);
  std::map<std::int64_t, RunNames> runs;
  std::set<std::int64_t> contradicted;
  for (const auto& [root, index] : indexes) {
    if (isOfCheckpoints(index, checkpointIds)) continue;
    const bool ids = std::all_of(index.begin(), index.end(), [](const auto* one) { return isRunId(one->text); });
    for (const IndexedText* entry : index) {
      RunNames& names = runs[entry->row];
      // Names may look like ids; the index of ids was created first.
      std::string& text = ids && names.id.empty() ? names.id : names.name;
      if (!text.empty() && text != entry->text) contradicted.insert(entry->row);
      text = entry->text;
    }
  }
  for (const std::int64_t row : contradicted) runs[row].name.clear();
  return runs;
}

}  // namespace batchwise
