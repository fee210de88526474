// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trackers/run_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/config/import/config_import.h"

namespace batchwise {
namespace {

constexpr std::size_t kMostSeries = 10'000;
constexpr std::size_t kMostSettings = 10'000;
constexpr std::size_t kLongestName = 300;
constexpr std::size_t kLongestValue = 4'000;
constexpr std::int64_t kLastStep = std::int64_t{1} << 53;

/// Returns a text of unknown origin as one line.
std::string plainLine(std::string_view text, std::size_t longest) {
  std::string line = withoutControlCharacters(text, longest);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

}  // namespace

std::string sourceTitle(std::string_view source) {
  constexpr std::array<std::string_view, 9> kTitles = {
      "TensorBoard", "Transformers", "Lightning", "CSV", "JSON Lines", "W&B", "MLflow", "Trackio", "Python"};
  const auto kind = choiceFromName<RunSourceKind>(source);
  return std::string(kind ? kTitles[static_cast<std::size_t>(*kind)] : source);
}

bool PointCollector::Series::push(const SeriesPoint& point) {
  const bool back = point.batch < last;
  while (!points.empty() && points.back().batch >= point.batch) points.pop_back();
  points.push_back(point);
  last = point.batch;
  return back;
}

void PointCollector::add(std::string_view series, std::int64_t step, double value, double wallSec) {
  if (step < 0 || step > kLastStep) {
    ++leftOut_;
    return;
  }
  series = series.substr(0, kLongestName);
  auto found = series_.find(std::string(series));
  if (found == series_.end()) {
    const bool isClock = series == steps_.name || series == wall_.name || series == sec_.name;
    std::string name = plainLine(isClock ? "logged/" + std::string(series) : series, kLongestName);
    if (series_.size() >= kMostSeries || name.empty()) {
      ++leftOut_;
      return;
    }
    found = series_.emplace(series, Series{}).first;
    found->second.name = std::move(name);
  }
  // Only the series that has come farthest says where the whole run is: others may count in other steps.
  Series& its = found->second;
  const bool leads = its.last >= steps_.last;
  const std::size_t before = its.points.size();
  const bool isSame = before > 0 && its.points.back().batch == step && its.points.back().value == value;
  const bool back = its.push({step, value});
  if (step > steps_.last || (back && leads)) addClocks(step, wallSec);
  ++size_;
  ++added_;
  if (!isSame) replaced_ += static_cast<std::int64_t>(before + 1 - its.points.size());
}

void PointCollector::addClocks(std::int64_t step, double wallSec) {
  steps_.push({step, static_cast<double>(step)});
  if (!std::isfinite(wallSec)) return;
  if (!firstWall_) firstWall_ = wallSec;
  wall_.push({step, wallSec});
  sec_.push({step, std::max(0.0, wallSec - *firstWall_)});
}

std::vector<LoggedSeries> PointCollector::take() {
  std::vector<LoggedSeries> taken;
  const auto move = [&taken](Series& series) {
    if (!series.points.empty()) taken.push_back({series.name, std::exchange(series.points, {})});
  };
  for (Series* clock : {&steps_, &wall_, &sec_}) move(*clock);
  for (auto& [name, series] : series_) move(series);
  std::ranges::sort(taken, {}, &LoggedSeries::name);
  size_ = 0;
  return taken;
}

void PointCollector::tellLosses(const std::filesystem::path& path, bool saysAgain, std::vector<std::string>& problems) {
  if (const std::int64_t leftOut = std::exchange(leftOut_, 0); leftOut > 0)
    problems.push_back(
        formatText("'{}': values left out, of negative steps or of too many series: {}", path.native(), leftOut));
  if (!saysAgain || replaced_ * 4 <= added_ || std::exchange(saidAgain_, true)) return;
  problems.push_back(
      formatText("'{}': steps come again, as where several runs share one file, or values have no step: "
                 "of each step the last value counts",
                 path.native()));
}

std::int64_t PointCollector::startedMs() const {
  constexpr double kYear2100 = 4.1e9;
  return firstWall_ && *firstWall_ > 0 && *firstWall_ < kYear2100 ? std::llround(*firstWall_ * 1000) : 0;
}

void addSetting(std::map<std::string, std::string>& config, std::string_view name, std::string_view value) {
  if (name.empty() || config.size() >= kMostSettings) return;
  config[plainLine(name, kLongestName)] = plainLine(value, kLongestValue);
}

void addJsonSetting(std::map<std::string, std::string>& config, const std::string& name, std::string_view json) {
  const std::function<void(const std::string&, const nlohmann::json&)> add = [&](const std::string& key,
                                                                                 const nlohmann::json& value) {
    if (value.is_object() && key.size() <= kLongestName)
      for (const auto& [member, its] : value.items()) add(key + (key.empty() ? "" : ".") + member, its);
    else if (value.is_string())
      addSetting(config, key, value.get_ref<const std::string&>());
    else
      addSetting(config, key, value.is_discarded() ? json : jsonText(value));
  };
  add(name, parseJsonOrDiscarded(json));
}

void addHparamsFile(std::map<std::string, std::string>& config, const std::filesystem::path& folder) {
  constexpr std::int64_t kMostBytes = 1 << 20;
  const auto text = readFile(folder / "hparams.yaml", kMostBytes);
  if (!text.ok()) return;
  for (const auto& [name, value] : flatSettings(*text)) addSetting(config, name, value);
}

FileState fileState(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return {status.st_size, status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000};
}

}  // namespace batchwise
