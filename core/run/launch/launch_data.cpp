// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/launch_data.h"

#include <chrono>
#include <string>

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/batch/lengths.h"
#include "core/data/text_files.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kHeartbeatInterval{5};
constexpr std::chrono::milliseconds kReportInterval{100};

/// Publishes the progress of a preparation at a rate that a person can follow, and turns a stop command into a stop
/// request.
class PhaseReporter {
 public:
  PhaseReporter(EventSink& events, CommandMailbox& commands) : events_(events), commands_(commands) {}

  ProgressFn progress() {
    return [this](const PrepareProgress& progress) { report(progress); };
  }
  std::stop_token stopped() const { return stop_.get_token(); }

 private:
  using Watch = std::chrono::steady_clock;

  void report(const PrepareProgress& progress) {
    if (endsRun(commands_.peek())) stop_.request_stop();
    const PhaseProgress now{progress.phase, static_cast<double>(progress.doneBytes),
                            static_cast<double>(progress.totalBytes), "bytes"};
    const bool matters = now.phase != reported_.phase || (now != reported_ && now.done >= now.total);
    // Unchanged progress is repeated as a sign of life.
    const auto pause = now != reported_ ? Watch::duration(kReportInterval) : Watch::duration(kHeartbeatInterval);
    if (!matters && Watch::now() < reportedAt_ + pause) return;
    events_.publish(now);
    reported_ = now;
    reportedAt_ = Watch::now();
  }

  EventSink& events_;
  CommandMailbox& commands_;
  std::stop_source stop_;
  PhaseProgress reported_;
  Watch::time_point reportedAt_;
};

}  // namespace

Result<DataRequest> dataRequest(const LoadedConfig& loaded, const std::filesystem::path& cacheFolder) {
  const TrainConfig& config = loaded.config;
  DataRequest request;
  request.cacheFolder = cacheFolder;
  request.baseFolder = loaded.baseFolder;
  request.maxSeqLen = static_cast<std::int32_t>(config.data.maxSeqLen);
  request.joinDocuments = config.data.joinDocuments;
  request.holdout = config.data.holdout;
  // A model that starts from a folder uses the vocabulary of that folder.
  request.tokenizer.path = config.tokenizer.path.empty() ? config.model.initFrom : config.tokenizer.path;
  request.tokenizer.vocabSize = static_cast<std::int32_t>(config.tokenizer.trainVocabSize);
  request.tokenizer.lowercase = config.tokenizer.lowercase;
  if (config.data.format == TextFormat::Demo) {
    request.demoSeed = static_cast<std::uint64_t>(config.data.demoSeed);
    return request;
  }
  request.format = config.data.format;
  request.textField = config.data.textField;
  request.train = config.data.train;
  request.eval = config.data.eval;
  return request;
}

Result<PreparedData> prepareLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                       EventSink& events, CommandMailbox& commands) {
  ASSIGN_OR_RETURN(const auto request, dataRequest(config, cacheFolder));
  PhaseReporter reporter(events, commands);
  return prepareData(request, reporter.progress(), reporter.stopped());
}

Result<std::vector<Message>> findMovedData(LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                           EventSink& events, CommandMailbox& commands) {
  std::vector<Message> notes;
  DataConfig& data = config.config.data;
  if (data.format == TextFormat::Demo) return notes;
  ASSIGN_OR_RETURN(const auto request, dataRequest(config, cacheFolder));
  PhaseReporter reporter(events, commands);
  for (std::vector<std::string>* patterns : {&data.train, &data.eval}) {
    Result<ResolvedPatterns> found = findMovedFiles(*patterns, request, reporter.progress(), reporter.stopped());
    if (!found.ok()) return found.error().within(patterns == &data.train ? "data.train" : "data.eval");
    *patterns = std::move(found->patterns);
    notes.insert(notes.end(), found->notes.begin(), found->notes.end());
  }
  return notes;
}

Result<PreparedData> cachedLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder) {
  ASSIGN_OR_RETURN(const auto request, dataRequest(config, cacheFolder));
  std::stop_source stop;
  stop.request_stop();  // a preparation checks this before each long operation
  return prepareData(request, {}, stop.get_token());
}

std::filesystem::path metricsFile(const LoadedConfig& config) {
  const TokenBudgetConfig& tokens = config.config.batch.tokens;
  if (!tokens.enabled() || tokens.metricsPath.empty()) return {};
  return savedLengthsFile(config.baseFolder / tokens.metricsPath);
}

Result<std::shared_ptr<const Lengths>> lengthsOf(const LoadedConfig& config, const PreparedData& data) {
  const auto lengths = std::make_shared<const DatasetLengths>(data.train);
  if (const auto file = metricsFile(config); !file.empty()) RETURN_IF_ERROR(saveLengths(file, *lengths));
  return std::shared_ptr<const Lengths>(lengths);
}

}  // namespace batchwise
