// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_styles.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/base/json.h"

namespace batchwise {
namespace {

constexpr const char* kSetting = "run_styles";
constexpr int kMostStyles = 1 << 20;
struct Color {
  const char *onLight, *onDark;
};
// Found by a search for the largest least distance; tests/analysis/run_labels_test.cpp measures it.
constexpr std::array kColors = {Color{"#1A225A", "#B69EFC"}, Color{"#DD7A1B", "#F6A500"}, Color{"#186666", "#75A589"},
                                Color{"#AD1900", "#DD0B26"}, Color{"#6899C4", "#B3FCFF"}, Color{"#500F1D", "#FAF1C4"},
                                Color{"#7000EB", "#9344E0"}, Color{"#9B938A", "#696F7A"}};
constexpr int kColorCount = static_cast<int>(kColors.size());

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
  const int most = std::max(kColorCount, static_cast<int>(runs.size()));
  std::set<int> taken;
  std::vector<std::string> without;
  for (const std::string& run : runs)
    if (const int style = of(run); style < 0 || style >= most || !taken.insert(style).second) without.push_back(run);
  int next = 0;
  for (const std::string& run : without) {
    while (!taken.insert(next).second) ++next;
    styles_[run] = next;
  }
  return !without.empty();
}

SeriesStyle seriesStyle(int index) {
  const auto place = static_cast<std::size_t>(std::max(index, 0));
  const Color& color = kColors[place % kColors.size()];
  return {color.onLight, color.onDark, place >= kColors.size()};
}

std::vector<int> spreadStyles(std::size_t groups) {
  std::vector<int> styles(groups);
  std::iota(styles.begin(), styles.end(), 0);
  return styles;
}

}  // namespace batchwise
