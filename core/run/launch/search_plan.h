// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/sweep.h"
#include "core/store/workspace.h"

namespace batchwise {

// Search by random arms and successive halving (Jamieson and Talwalkar 2016, arXiv 1502.07943), and further seeds.

/// Parses "optimizer.lr=1e-4..1e-2 log" or "seed=1,2,3" as an axis to draw from. A range without a number of values has
/// 1,000 of them. Fails with Config.
Result<SweepAxis> drawableAxis(const std::string& assignment);

/// Returns `arms` different combinations of the values of the axes, as axes that all advance together; those that `zip`
/// names do so in the draw, too. Each value of an axis is equally likely. A pure function of its arguments. Fails with
/// Config if there are too few combinations.
Result<std::vector<SweepAxis>> drawArms(const std::vector<SweepAxis>& axes, const std::vector<std::string>& zip,
                                        std::int64_t arms, std::uint64_t seed);

/// Returns how many of `arms` go on: the share `keep` of them, at least one.
std::int64_t armsKept(std::int64_t arms, double keep);

/// Returns the `kept` arms of the lowest losses, as ascending indices; at equal losses the first. Arms without a finite
/// loss never go on.
std::vector<std::size_t> bestArms(std::span<const std::optional<double>> losses, std::int64_t kept);

/// Returns the seeds that each group lacks to have `total` of them: first those of other groups, so that groups can be
/// compared in pairs, then new ones.
std::vector<std::vector<std::int64_t>> missingSeeds(const std::vector<std::set<std::int64_t>>& groups,
                                                    std::int64_t total);

/// Returns the runs of the workspace that Batchwise trains, those that wait for their begin included. Fails as the
/// store does.
Result<std::vector<RunDetail>> ownRuns(const std::shared_ptr<Workspace>& workspace);
/// Returns the configuration that a run was launched with.
TrainConfig launchedConfig(const RunDetail& run);
/// Returns a text that is equal for configurations that differ by seed and labels only.
std::string configKey(const TrainConfig& config);

struct MoreSeeds {
  std::vector<LoadedConfig> runs;
  std::vector<std::string> of;  ///< for each of `runs` the id of the first one named with its configuration
};
/// Returns runs with the configurations of `runs` (ids or names) and other seeds, so that the workspace has `total`
/// seeds of each; 0: as many as the one with the most, at least three; one more if all have that. Fails with NotFound,
/// with Config for a fork or a run of another program, or as the store does.
Result<MoreSeeds> runsOfMoreSeeds(const std::shared_ptr<Workspace>& workspace, const std::vector<std::string>& runs,
                                  std::int64_t total);

}  // namespace batchwise
