// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/batch/plan.h"
#include "core/config/config_file.h"

namespace batchwise {

/// What a check may go by.
struct CheckScope {
  enum class Files { Unread, Checked };
  /// Unread where a preview was given figures, and where files are known by their content (a resume).
  Files files = Files::Checked;
  /// Unfinished: a configuration that names no text yet is none that can be launched, but may be looked at.
  enum class Text { Required, Unfinished };
  Text text = Text::Required;
  std::int64_t devices = 0;  ///< to plan for; 0: those of the configuration
  /// The configuration of the stored run that is resumed or forked; null: none. See checkNewRun().
  const TrainConfig* stored = nullptr;
};

/// The configuration with all that a launch would refuse among its errors, as far as no text has to be read for it:
/// what checkPlan() and checkFiles() find. This one check stands before everything that launches, enters into a queue,
/// submits, previews or checks. Writes nothing.
LoadedConfig checkedForLaunch(LoadedConfig config, const CheckScope& scope = {});

/// What a plan finds wrong with a configuration whatever the data is like: expressions that cannot be read, Times that
/// cannot be compared, a schedule without an end. Resolves the plan for imagined data of several sizes and takes what
/// all of them agree on; reads and writes nothing. Several issues where they do not hang together, each with the place
/// of its field. `stored`: as in CheckScope. Empty for a configuration that has errors already.
std::vector<ConfigIssue> checkPlan(const LoadedConfig& config, const DeviceShape& devices,
                                   const TrainConfig* stored = nullptr);

/// The field at which a message "field: what is wrong" begins; empty if it names none.
std::string fieldOfMessage(const std::string& message);

/// Whether it would be trained on GPUs.
bool plansGpus(const TrainConfig& config);

/// Fails with Config if the data is too small for one global batch: says how many samples there are and what would do.
Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths);

/// The devices that a configuration names, or that this machine has.
DeviceShape plannedDevices(const TrainConfig& config);

}  // namespace batchwise
