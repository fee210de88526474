// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/batch/plan.h"
#include "core/config/config_file.h"

namespace batchwise {

/// Extent of a check.
struct CheckScope {
  enum class Files { Unread, Checked };
  /// Unread: for previews with given lengths, and for resumes, whose files are identified by content.
  Files files = Files::Checked;
  /// Optional: a configuration without text is accepted, with a note, though it cannot be launched.
  enum class Text { Required, Optional };
  Text text = Text::Required;
  std::int64_t devices = 0;  ///< devices to plan for; 0: as configured
  /// Configuration of the stored run that is resumed or forked; null: none. See checkNewRun().
  const TrainConfig* stored = nullptr;
};

/// Returns the configuration with the problems found by checkPlan() and checkFiles() added to its errors: everything
/// that a launch rejects without reading text. Every launch, queue entry, submission, preview and check uses it. Writes
/// nothing.
LoadedConfig checkedForLaunch(LoadedConfig config, const CheckScope& scope = {});

/// Validates a configuration independently of its data: unreadable expressions, Times that cannot be compared, a
/// schedule without an end. Resolves the plan for synthetic data of several sizes and reports errors common to all.
/// Independent problems are reported separately, each located at its field. Reads and writes no files. `stored`: as in
/// CheckScope. Returns nothing for a configuration that already has errors.
std::vector<ConfigIssue> checkPlan(const LoadedConfig& config, const DeviceShape& devices,
                                   const TrainConfig* stored = nullptr);

/// Returns the field that a message "field: problem" begins with; empty if there is none.
std::string fieldOfMessage(const Message& message);
/// Returns the message without the field that fieldOfMessage() found in front of its text.
Message withoutField(const Message& message, const std::string& field);

/// Returns whether the configuration would train on GPUs.
bool plansGpus(const TrainConfig& config);

/// Fails with Config if the data has fewer samples than one global batch; the message gives the number and remedies.
Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths);

/// Returns the devices that the configuration names, or those of this machine.
DeviceShape plannedDevices(const TrainConfig& config);

}  // namespace batchwise
