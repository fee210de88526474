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
namespace {

constexpr std::int64_t kFewestSeeds = 3;

/// Runs of a configuration, whatever their seed.
struct SeedGroup {
  std::set<std::int64_t> seeds;
  const RunDetail* run = nullptr;  // one of those that were named
  std::string seed = {};           // its own
};

}  // namespace

Result<SweepAxis> drawableAxis(const Field& field, const std::string& text) {
  std::string values = text;
  const bool isRange = text.find("..") != std::string::npos && text.find(',') == std::string::npos;
  if (isRange && text.find(" x") == std::string::npos) {
    const std::size_t log = text.rfind(" log");
    values = text.substr(0, log) + " x1000" + (log == std::string::npos ? "" : " log");
  }
  ASSIGN_OR_RETURN(auto listed, sweepValues(field, values));
  return SweepAxis{field.path, std::move(listed)};
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
          formatText("the values make {} different arms, fewer than {}; give more values, or --arms {}", known.size(),
                     arms, known.size()));
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

std::vector<double> rungShares(std::int64_t rungs, double keep) {
  std::vector<double> shares;
  for (std::int64_t rung = rungs - 1; rung >= 0; --rung) shares.push_back(std::pow(keep, rung));
  return shares;
}

std::int64_t armsKept(std::int64_t arms, double keep) {
  constexpr double kRounding = 1e-9;  // 1/3 of 9 is 3
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::floor(static_cast<double>(arms) * keep * (1 + kRounding))));
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
    ASSIGN_OR_RETURN(auto run, workspace->findRun(id));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::vector<LoadedConfig>> runsOfMoreSeeds(const std::shared_ptr<Workspace>& workspace,
                                                  const std::vector<std::string>& runs, std::int64_t total) {
  std::vector<RunDetail> named;
  std::map<std::string, SeedGroup> groups;
  for (const std::string& name : runs) {
    ASSIGN_OR_RETURN(auto run, workspace->findRun(name));
    if (isExternal(run.summary))
      return Error::config(formatText(
          "{} was trained by another program, so it cannot be trained with other seeds here", run.summary.name));
    if (!run.segments.empty() && !run.segments.front().checkpoint.empty())
      return Error::config(
          formatText("{} is a fork, so a run of another seed would need a parent of that seed; name the parent",
                     run.summary.name));
    named.push_back(std::move(run));
  }
  const auto keyOf = [](const ConfigValues& config) { return experimentKey(config, IgnoredFields::standard()); };
  std::vector<std::string> order;
  for (const RunDetail& run : named) {
    ASSIGN_OR_RETURN(const auto config, configValuesOf(run.configYaml, run.summary.name));
    SeedGroup& group = groups[keyOf(config)];
    if (group.run == nullptr) order.push_back(keyOf(config));
    group = {{}, &run, plainValue(config, "seed")};
  }
  ASSIGN_OR_RETURN(const auto all, ownRuns(workspace));
  for (const RunDetail& run : all) {
    const auto config = configValuesOf(run.configYaml, run.summary.name);
    if (!config.ok()) continue;
    if (const auto group = groups.find(keyOf(*config)); group != groups.end())
      group->second.seeds.insert(std::stoll(plainValue(*config, "seed")));
  }
  std::vector<std::set<std::int64_t>> seeds;
  for (const std::string& key : order) seeds.push_back(groups[key].seeds);
  if (total == 0) {
    const auto [least, most] = std::ranges::minmax(seeds, {}, &std::set<std::int64_t>::size);
    total = std::max(kFewestSeeds, std::ssize(most) + (least.size() == most.size() ? 1 : 0));
  }
  const auto missing = missingSeeds(seeds, total);
  std::vector<LoadedConfig> added;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SeedGroup& group = groups[order[i]];
    const RunDetail& run = *group.run;
    const auto folder = run.resolvedValues.find(resolved_names::kBaseFolder);
    for (const std::int64_t seed : missing[i]) {
      const std::string text = std::to_string(seed);
      const std::string name = nameFromValues(run.summary.name, {{"seed", group.seed, text}});
      added.push_back(parseConfig(run.configYaml, runContextText(run.summary.name),
                                  folder == run.resolvedValues.end() ? "" : folder->second,
                                  {"seed=" + text, "name=" + name, "launch.stop_at=none"}));
      if (!added.back().ok()) return Error::config(added.back().errorText());
    }
  }
  return added;
}

}  // namespace batchwise
