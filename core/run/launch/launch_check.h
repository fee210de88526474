// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/base/machine.h"
#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/config/schema.h"
#include "core/model/shape/model_shape.h"
#include "core/plan/run_plan.h"
#include "core/store/workspace.h"

namespace batchwise {

/// The folder whose weights a new model starts from.
struct StartFolder {
  std::filesystem::path path;  ///< empty: none, the weights are fresh
  const char* field = "";      ///< that names it
  bool tiles = false;          ///< the weights are tiled to a larger model
};

/// Returns the folder of model.init_from or model.tile_from.
StartFolder startFolder(const LoadedConfig& config);

/// Resolves the shape of the model that starts from this folder, `folder` being the shape in its config.json and
/// `tokens` the size of the tokenizer. Fails as resolveModelShape().
Result<ModelShape> resolveFromFolder(const LoadedConfig& config, const ModelShape& folder, std::int64_t tokens);

/// Returns the model that a configuration would train, before any data is read: vocabulary size of tokenizer.path or of
/// the vocabulary to be trained, sizes of model.init_from. Fails as reading those files, and with Config if they do not
/// match.
Result<ModelShape> plannedShape(const LoadedConfig& config);

/// A problem that makes a launch fail, or may make it fail later.
struct PreflightFinding {
  bool fatal = true;   ///< the run cannot start; else it may not reach its end
  std::string field;   ///< field to change; empty: none would help
  std::string what;    ///< problem found
  std::string remedy;  ///< how to fix it; empty if `what` says so
  /// Joins both into one message.
  std::string text() const { return remedy.empty() ? what : followedByText(what, remedy); }
};

/// Returns all problems with the files that a configuration names: text, vocabulary, model.init_from (sizes, tensor
/// names and shapes), lengths file. Reads names, headers and vocabularies, no text or weights; writes nothing. Missing
/// data.train is not reported here, see missingTextMessage(). Blocks on the file system.
std::vector<PreflightFinding> checkFiles(const LoadedConfig& config);

/// Returns a message if the configuration names no training text, else an empty text.
std::string missingTextMessage(const TrainConfig& config);

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

/// Returns the notes that the plan of a valid configuration has whatever its data, if that is more than a few global
/// batches, without what only a launch finds.
std::vector<FieldProblem> dataIndependentNotes(const TrainConfig& config);

/// Returns values that are valid but likely mistakes for the length and sizes of this run, by field: a token budget
/// under which the batch size counts packs, a rate that lr_scaling makes far too high or that is 0 long before the end,
/// a ramp that ends within the first global batch, evaluations and checkpoints that never come before the end.
/// Completes findLikelyMistakes(), which needs no plan, and Plan::notes(). Intervals in sec are not judged.
/// Thread-safe.
std::vector<FieldProblem> findPlanMistakes(const TrainConfig& config, const RunPlan& plan);

/// Validates a configuration independently of its data: unreadable expressions, Times that cannot be compared, a
/// schedule without an end. Resolves the plan for synthetic data of several sizes and reports errors common to all.
/// Independent problems are reported separately, each located at its field. Reads and writes no files. `stored`: as in
/// CheckScope. Returns nothing for a configuration that already has errors.
std::vector<ConfigIssue> checkPlan(const LoadedConfig& config, const DeviceShape& devices,
                                   const TrainConfig* stored = nullptr);

/// Returns whether the configuration would train on GPUs, on `machine` if it names no device.
bool plansGpus(const TrainConfig& config, const MachineInfo& machine = machineInfo());

/// Fails with Config if the data has fewer samples than one global batch; the message gives the number and remedies.
Result<void> checkEnoughSamples(const TrainConfig& config, const Lengths& lengths);

/// Returns the ranks that this process was launched with, else the devices that the configuration names, else those of
/// `machine`.
DeviceShape plannedDevices(const TrainConfig& config, const MachineInfo& machine = machineInfo());

/// Returns why evaluations of a run that is launched with `config` would not be measured like those of the run
/// `baseline` of the workspace; empty if they would, or one of them has no evaluation. What the texts hold is compared
/// where the cache has that of `config`, else the settings that name them.
std::string baselineNote(const LoadedConfig& config, const RunDetail& baseline, const Workspace& workspace);

/// Returns for each run of a sweep why its evaluations would not be measured like those of the first; empty messages
/// for those that would.
std::vector<std::string> sweepBaselineNotes(const std::vector<LoadedConfig>& runs);

}  // namespace batchwise
