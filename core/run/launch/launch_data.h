// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/events/run_command.h"
#include "core/config/events/run_event.h"
#include "core/config/run_stages.h"
#include "core/plan/lengths.h"
#include "core/text/prepare_data.h"

namespace batchwise {

/// Builds the data request of a configuration.
Result<DataRequest> dataRequest(const LoadedConfig& config, const std::filesystem::path& cacheFolder);

/// Builds the data request of a stage of a run: its training text, with the vocabulary of the run and without the
/// documents that the run holds out.
Result<DataRequest> stageDataRequest(const LoadedConfig& run, const RunStage& stage,
                                     const std::filesystem::path& cacheFolder);

/// Prepares the data of a configuration and publishes progress to `events`. Fails with Stopped on a stop command,
/// otherwise as prepareData.
Result<PreparedData> prepareLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                       EventSink& events, CommandMailbox& commands);

/// Returns the data of each stage of a run, in order; `own`: the prepared data of the run, whose tokenizer and
/// evaluation data all stages have. Fails as prepareLaunchData(), in the context of the stage.
Result<std::vector<PreparedData>> prepareStageData(const LoadedConfig& config, const PreparedData& own,
                                                   const std::filesystem::path& cacheFolder, EventSink& events,
                                                   CommandMailbox& commands);

/// Returns the lengths of the samples of each stage if the cache has all of them. Fails as cachedLaunchData().
Result<std::vector<std::shared_ptr<const Lengths>>> cachedStageLengths(const LoadedConfig& config,
                                                                       const std::filesystem::path& cacheFolder);

/// Finds the files of a resumed run by content: sets data.train, data.eval and eval.sets to their present paths and
/// publishes progress. Returns notes on files found elsewhere. Fails with Stopped on a stop command, otherwise as
/// findMovedFiles.
Result<std::vector<std::string>> findMovedData(LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                               EventSink& events, CommandMailbox& commands);

/// Returns the data of a configuration if the cache has all of it. Fails with Stopped if anything would have to be
/// read, trained or tokenized, otherwise as prepareData.
Result<PreparedData> cachedLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder);

/// Returns what a launch notes of the text before it tokenizes it: see reviewText(), for the run and its stages. Reads
/// up to 256 MiB of text; of more, what the cache of the workspace knows. Writes to that cache alone, if it is there.
/// Fails with Stopped if text would have to be read that is too long, otherwise as reviewText(); nothing without text.
Result<std::vector<FieldProblem>> reviewLaunchText(const LoadedConfig& config, const std::filesystem::path& workspace);

/// Returns the file of `batch.tokens.metrics_path`; empty without one, and without a token budget.
std::filesystem::path metricsFile(const LoadedConfig& config);

/// Sample lengths of a data set; keeps the data set alive.
class DatasetLengths final : public Lengths {
 public:
  explicit DatasetLengths(TokenDataset dataset) : dataset_(std::move(dataset)) {}
  std::int64_t size() const override { return dataset_.size(); }
  Result<void> intact() const override { return dataset_.intact(); }
  std::uint32_t at(std::int64_t sample) const override { return dataset_.length(sample); }
  std::int64_t totalTokens() const override { return dataset_.statistics().tokens; }
  std::uint32_t longest() const override { return static_cast<std::uint32_t>(dataset_.statistics().longest); }

 private:
  TokenDataset dataset_;
};

/// Returns the lengths of the training data and saves them in metricsFile(), if configured. Fails as saveLengths.
Result<std::shared_ptr<const Lengths>> lengthsOf(const LoadedConfig& config, const PreparedData& data);

}  // namespace batchwise
