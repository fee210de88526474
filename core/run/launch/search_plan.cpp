// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/search_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/config_difference.h"
#include "core/base/format.h"
#include "core/base/random.h"
#include "core/store/run_queue.h"

namespace batchwise {

Result<SweepAxis> drawableAxis(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const Field* field = equals == std::string::npos ? nullptr : findField(assignment.substr(0, equals));
  if (field == nullptr)
    return Error::config(
        formatText("'{}' is not of the form field=a,b,c or field=a..b with a field of the configuration", assignment));
  std::string values = assignment.substr(equals + 1);
  if (values.find("..") != std::string::npos && values.find_first_of(",x") == std::string::npos)
    values.insert(std::min(values.find(" log"), values.size()), " x1000");
  auto listed = sweepValues(*field, values);
  if (!listed.ok()) return Error::config(field->path, listed.error().message);
  return SweepAxis{field->path, std::move(*listed)};
}

Result<std::vector<SweepAxis>> drawArms(const std::vector<SweepAxis>& axes, const std::vector<std::string>& zip,
                                        std::int64_t arms, std::uint64_t seed) {
  constexpr std::int64_t kDrawsPerArm = 100;
  std::vector<SweepAxis> drawn;
  for (const SweepAxis& axis : axes) drawn.push_back({axis.field, {}});
  std::set<std::vector<std::string>> known;
  for (std::int64_t draw = 0; std::ssize(known) < arms; ++draw) {
    if (axes.empty() || draw == kDrawsPerArm * arms)
      return Error::config(
          formatText("the values make {} different arms, fewer than {}; give more values", known.size(), arms));
    std::vector<std::string> values;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const bool isZipped = std::ranges::find(zip, axes[i].field) != zip.end();
      const std::uint64_t bits = randomBits(subKey(seed, isZipped ? axes.size() : i), static_cast<std::uint64_t>(draw));
      values.push_back(axes[i].values[boundedRandom(bits, axes[i].values.size())]);
    }
    if (!known.insert(values).second) continue;
    for (std::size_t i = 0; i < axes.size(); ++i) drawn[i].values.push_back(values[i]);
  }
  return drawn;
}

std::int64_t armsKept(std::int64_t arms, double keep) {
  constexpr double kRounding = 1e-9;  // 1/3 of 9 is 3
  return std::max<std::int64_t>(1, std::llround(std::floor(static_cast<double>(arms) * keep + kRounding)));
}

std::vector<std::size_t> bestArms(std::span<const std::optional<double>> losses, std::int64_t kept) {
  std::vector<std::size_t> arms;
  for (std::size_t i = 0; i < losses.size(); ++i)
    if (losses[i] && std::isfinite(*losses[i])) arms.push_back(i);
  std::stable_sort(arms.begin(), arms.end(), [&](std::size_t a, std::size_t b) { return *losses[a] < *losses[b]; });
  arms.resize(std::min(arms.size(), static_cast<std::size_t>(kept)));
  std::sort(arms.begin(), arms.end());
  return arms;
}

std::vector<std::vector<std::int64_t>> missingSeeds(const std::vector<std::set<std::int64_t>>& groups,
                                                    std::int64_t total) {
  std::set<std::int64_t> all;
  for (const auto& seeds : groups) all.insert(seeds.begin(), seeds.end());
  for (std::int64_t next = 1; std::ssize(all) < total; ++next) all.insert(next);
  std::vector<std::vector<std::int64_t>> missing(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const std::int64_t seed : all)
      if (std::ssize(groups[i]) + std::ssize(missing[i]) < total && !groups[i].contains(seed))
        missing[i].push_back(seed);
  return missing;
}

Result<std::vector<RunDetail>> ownRuns(const std::shared_ptr<Workspace>& workspace) {
  std::set<std::string> ids;
  ASSIGN_OR_RETURN(const auto begun, workspace->listRuns(true));
  for (const RunSummary& run : begun)
    if (!isExternal(run)) ids.insert(run.id);
  ASSIGN_OR_RETURN(const auto queue, RunQueue(workspace).read());
  for (const QueueEntry& entry : queue.entries) ids.insert(entry.id);
  std::vector<RunDetail> runs;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(runs.emplace_back(), workspace->findRun(id));
  }
  return runs;
}

TrainConfig launchedConfig(const RunDetail& run) {
  return parseConfig(run.configYaml, run.summary.name, {}).config;
}

std::string configKey(const TrainConfig& config) {
  return experimentKey(configValues(config), IgnoredFields::standard());
}

Result<MoreSeeds> runsOfMoreSeeds(const std::shared_ptr<Workspace>& workspace, const std::vector<std::string>& runs,
                                  std::int64_t total) {
  constexpr std::int64_t kFewest = 3;
  std::map<std::string, RunDetail> groups;  // one run of each configuration
  for (const std::string& name : runs) {
    ASSIGN_OR_RETURN(auto run, workspace->findRun(name));
    const bool isFork = !run.segments.empty() && !run.segments.front().checkpoint.empty();
    if (isFork || isExternal(run.summary))
      return Error::config(formatText("{} {}, so it has no other seeds; name a run that began here", run.summary.name,
                                      isFork ? "is a fork" : "is of another program"));
    groups.emplace(configKey(launchedConfig(run)), std::move(run));
  }
  ASSIGN_OR_RETURN(const auto all, ownRuns(workspace));
  std::vector<std::set<std::int64_t>> seeds(groups.size());
  for (const RunDetail& run : all) {
    const TrainConfig config = launchedConfig(run);
    if (const auto group = groups.find(configKey(config)); group != groups.end())
      seeds[static_cast<std::size_t>(std::distance(groups.begin(), group))].insert(config.seed);
  }
  if (total == 0 && !seeds.empty()) {
    const auto [least, most] = std::ranges::minmax(seeds, {}, &std::set<std::int64_t>::size);
    total = std::max(kFewest, std::ssize(most) + (least.size() == most.size() ? 1 : 0));
  }
  MoreSeeds added;
  auto group = groups.begin();
  for (const auto& ofGroup : missingSeeds(seeds, total)) {
    const auto& [key, run] = *group++;
    const auto folder = run.resolvedValues.find(resolved_names::kBaseFolder);
    const std::string former = std::to_string(launchedConfig(run).seed);
    for (const std::int64_t seed : ofGroup) {
      const std::string text = std::to_string(seed);
      added.of.push_back(run.summary.id);
      added.runs.push_back(parseConfig(run.configYaml, run.summary.name,
                                       folder == run.resolvedValues.end() ? "" : folder->second,
                                       {"seed=" + text, "launch.stop_at=none",
                                        "name=" + nameFromValues(run.summary.name, {{"seed", former, text}})}));
    }
  }
  return added;
}

}  // namespace batchwise
