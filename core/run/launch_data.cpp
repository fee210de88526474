// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch_data.h"

#include <chrono>
#include <optional>
#include <string>

#include "core/batch/kept_lengths.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kBetweenSigns{5};

}  // namespace

Result<DataRequest> dataRequest(const LoadedConfig& loaded, const std::filesystem::path& cacheFolder) {
  const TrainConfig& config = loaded.config;
  DataRequest request;
  request.cacheFolder = cacheFolder;
  request.baseFolder = loaded.baseFolder;
  request.maxSeqLen = static_cast<std::int32_t>(config.data.maxSeqLen);
  request.joinDocuments = config.data.joinDocuments;
  request.holdout = config.data.holdout;
  // A model that starts from a folder speaks the vocabulary of that folder.
  request.tokenizer.path = config.tokenizer.path.empty() ? config.model.initFrom : config.tokenizer.path;
  request.tokenizer.vocabSize = static_cast<std::int32_t>(config.tokenizer.trainVocabSize);
  request.tokenizer.lowercase = config.tokenizer.lowercase;
  if (config.data.format == "demo") {
    request.demoSeed = static_cast<std::uint64_t>(config.seed);
    return request;
  }
  const Result<TextFormat> format = textFormatFromName(config.data.format);
  if (!format.ok()) return format.error();
  request.format = *format;
  request.textField = config.data.textField;
  request.train = config.data.train;
  request.eval = config.data.eval;
  return request;
}

Result<PreparedData> prepareLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                       EventSink& events, CommandMailbox& commands) {
  const Result<DataRequest> request = dataRequest(config, cacheFolder);
  if (!request.ok()) return request.error();
  std::stop_source stop;
  std::optional<PhaseProgress> told;
  auto nextTelling = std::chrono::steady_clock::time_point();
  const auto report = [&](const PrepareProgress& progress) {
    const PhaseProgress now{std::string(progress.phase), static_cast<double>(progress.doneBytes),
                            static_cast<double>(progress.totalBytes), "bytes"};
    // One that stays the same is a sign of life.
    const auto clock = std::chrono::steady_clock::now();
    if (now != told || clock >= nextTelling) {
      events.publish(now);
      nextTelling = clock + kBetweenSigns;
    }
    told = now;
    if (endsRun(commands.peek())) stop.request_stop();
  };
  return prepareData(*request, report, stop.get_token());
}

Result<PreparedData> cachedLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder) {
  const Result<DataRequest> request = dataRequest(config, cacheFolder);
  if (!request.ok()) return request.error();
  std::stop_source stop;
  stop.request_stop();  // a preparation asks before it starts on anything that takes time
  return prepareData(*request, {}, stop.get_token());
}

std::filesystem::path metricsFile(const LoadedConfig& config) {
  const TokenBudgetConfig& tokens = config.config.batch.tokens;
  if (!tokens.enabled() || tokens.metricsPath.empty()) return {};
  return keptLengthsFile(config.baseFolder / tokens.metricsPath);
}

Result<std::shared_ptr<const Lengths>> lengthsOf(const LoadedConfig& config, const PreparedData& data) {
  const auto lengths = std::make_shared<const DatasetLengths>(data.train);
  if (const auto file = metricsFile(config); !file.empty())
    if (const Result<void> kept = keepLengths(file, *lengths); !kept.ok()) return kept.error();
  return std::shared_ptr<const Lengths>(lengths);
}

}  // namespace batchwise
