// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/batch/lengths.h"
#include "core/config/config_file.h"
#include "core/data/prepare_data.h"
#include "core/events/run_command.h"
#include "core/events/run_event.h"

namespace batchwise {

/// The data part of a configuration, as the preparation wants it.
Result<DataRequest> dataRequest(const LoadedConfig& config, const std::filesystem::path& cacheFolder);

/// Prepares the data of a configuration, telling `events` how far it is. Fails with Stopped on a stop command,
/// otherwise as prepareData.
Result<PreparedData> prepareLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                       EventSink& events, CommandMailbox& commands);

/// Files of a run that goes on are known by their content: sets data.train and data.eval to where they are now, telling
/// `events` how far the search is. Returns which file was taken for which. Fails with Stopped on a stop command,
/// otherwise as findMovedFiles.
Result<std::vector<std::string>> findMovedData(LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                               EventSink& events, CommandMailbox& commands);

/// The data of a configuration as far as it lies ready in the cache, without any progress. Fails with Stopped where
/// something would have to be read, trained or tokenised, otherwise as prepareData.
Result<PreparedData> cachedLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder);

/// The file that `batch.tokens.metrics_path` means; empty without one, and without a token budget.
std::filesystem::path metricsFile(const LoadedConfig& config);

/// The lengths of a data set, which is kept alive.
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

/// The lengths of the training data, kept in the metricsFile() if the configuration names one. Fails as keepLengths.
Result<std::shared_ptr<const Lengths>> lengthsOf(const LoadedConfig& config, const PreparedData& data);

}  // namespace batchwise
