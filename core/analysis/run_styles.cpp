// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_styles.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json.h"

namespace batchwise {
namespace {

constexpr const char* kSetting = "run_styles";
constexpr int kMostStyles = 1 << 20;
constexpr std::array kColors = {"#2F6FDE", "#D9730D", "#1E9E77", "#C43C8A", "#2B95C3", "#9A7047", "#7A5AD6", "#7D8590"};
constexpr int kColorCount = static_cast<int>(kColors.size());
constexpr std::size_t kDistinctStyles = 2 * kColors.size();

/// Returns equal values for styles that look the same: all styles from the ninth on are dashed.
int appearanceOf(int style) {
  return style < kColorCount ? style : style % kColorCount + kColorCount;
}

}  // namespace

RunStyles RunStyles::read(const Workspace& workspace) {
  RunStyles styles;
  const auto stored = workspace.setting(kSetting);
  if (!stored.ok() || !*stored) return styles;
  const auto kept = parseJsonOrDiscarded(**stored);
  if (!kept.is_object()) return styles;
  for (const auto& [run, style] : kept.items())
    if (style.is_number_integer() && style >= 0 && style < kMostStyles) styles.styles_[run] = style.get<int>();
  return styles;
}

Result<void> RunStyles::write(Workspace& workspace) const {
  return workspace.saveSetting(kSetting, nlohmann::json(styles_).dump());
}

int RunStyles::of(const std::string& run) const {
  const auto found = styles_.find(run);
  return found == styles_.end() ? -1 : found->second;
}

bool RunStyles::assign(const std::vector<std::string>& runs) {
  std::set<int> taken, appearances;
  std::vector<std::string> unassigned;
  for (const std::string& run : runs) {
    if (of(run) < 0 || !appearances.insert(appearanceOf(of(run))).second)
      unassigned.push_back(run);
    else
      taken.insert(of(run));
  }
  bool any = false;
  for (const std::string& run : unassigned) {
    const int old = of(run);
    if (old >= 0 && appearances.size() == kDistinctStyles) continue;
    int style = old < 0 ? 0 : old % kColorCount + kColorCount;
    if (old >= 0 && appearances.contains(appearanceOf(style))) style = 0;
    while (taken.contains(style) || (appearances.size() < kDistinctStyles && appearances.contains(appearanceOf(style))))
      ++style;
    taken.insert(style);
    appearances.insert(appearanceOf(style));
    styles_[run] = style;
    any = true;
  }
  return any;
}

SeriesStyle seriesStyle(int index) {
  const auto place = static_cast<std::size_t>(std::max(index, 0));
  return {kColors[place % kColors.size()], place >= kColors.size()};
}

}  // namespace batchwise
