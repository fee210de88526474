// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/run_list.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/store/records.h"

namespace batchwise {

const RunSummary* RunList::at(int place) const {
  return place >= 0 && place < size() ? &runs_[static_cast<std::size_t>(place)] : nullptr;
}

int RunList::placeOf(const std::string& id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? -1 : found->second;
}

void RunList::update(std::vector<RunSummary> runs) {
  runs_ = std::move(runs);
  std::ranges::stable_sort(runs_, std::greater(), &RunSummary::createdMs);
  places_.clear();
  for (int place = 0; place < size(); ++place) places_[at(place)->id] = place;
  Q_EMIT updated();
}

std::string RunList::freeName(const std::string& wanted) const {
  constexpr std::size_t kLongestNumber = 16;
  const std::string stem = wanted.substr(0, kMaxRunNameBytes - kLongestNumber);
  std::set<std::string_view> taken;
  for (const RunSummary& run : runs_)
    if (run.name.starts_with(stem)) taken.insert(run.name);
  return freeRunName(wanted, [&taken](const std::string& name) { return taken.contains(name); });
}

const RunSummary* RunList::newestFinished() const {
  const auto found = std::ranges::find_if(
      runs_, [](const RunSummary& run) { return run.status == RunStatus::Finished && !run.archived; });
  return found == runs_.end() ? nullptr : &*found;
}

}  // namespace batchwise
