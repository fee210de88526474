// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/launch_data.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/schema.h"
#include "core/store/workspace_folder.h"
#include "core/text/text_files.h"

namespace batchwise {
namespace {

/// Adds what was noted of the text of a stage, as of its settings.
void addOfStage(std::vector<FieldProblem>& notes, const std::vector<FieldProblem>& ofText, const std::string& stage) {
  for (const FieldProblem& note : ofText)
    notes.push_back({note.field.empty() ? stage : stage + "." + note.field, note.message});
}

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

/// Adds a note for each evaluation set that is too small to say anything.
void noteSmallEvaluation(const TrainConfig& config, PreparedData& data) {
  constexpr std::int64_t kFewest = 300;  // the standard error of an accuracy of 50 % is then 3 points
  const double share = config.eval.mlmProbability;
  const auto check = [&](const std::string& field, const TokenDataset& samples, const std::string& remedy) {
    const std::int64_t tokens = samples.statistics().tokens - 2 * samples.size();  // without [CLS] and [SEP]
    const auto predicted = std::llround(static_cast<double>(std::max<std::int64_t>(0, tokens)) * share);
    if (predicted < kFewest)
      data.notes.push_back(
          {std::string(field),
           formatText("the evaluation predicts only about {}, so its loss and accuracy are mostly chance; {}",
                      countText(predicted, "token"), remedy)});
  };
  const bool heldOut = data.holdout > 0.0;
  if (data.eval)
    check(heldOut ? "data.holdout" : "data.eval", *data.eval,
          heldOut ? "raise it, or name text in data.eval" : "name more text");
  for (const NamedDataset& set : data.evalSets) check("eval.sets." + set.name, set.samples, "name more text");
}

/// Sets data.train of a stage to the present paths.
Result<void> findMovedText(StageConfig& stage, const DataRequest& request, PhaseReporter& reporter,
                           std::vector<std::string>& notes) {
  const Field& field = *findField("data.train");
  for (auto& [path, value] : stage.settings) {
    TrainConfig own;
    if (path != field.path || !field.set(own, value).empty()) continue;
    for (TextSource& source : own.data.train.sources) {
      Result<ResolvedPatterns> found = findMovedFiles(source.text, request, reporter.progress(), reporter.stopped());
      if (!found.ok()) return found.error().about(field.path);
      source.text = std::move(found->patterns);
      notes.insert(notes.end(), found->notes.begin(), found->notes.end());
    }
    value = field.get(own);
  }
  return {};
}

/// Returns the size of the files of a request on disk, as far as they are there.
std::int64_t textBytes(const DataRequest& request) {
  std::int64_t bytes = 0;
  const auto add = [&](const std::vector<std::string>& patterns) {
    const auto files = findTextFiles(patterns, request.baseFolder, request.format);
    if (!files.ok()) return;
    for (const std::filesystem::path& file : *files) {
      std::error_code unknown;
      const auto size = std::filesystem::file_size(file, unknown);
      if (!unknown) bytes += static_cast<std::int64_t>(size);
    }
  };
  add(request.train.names());
  for (const auto* patterns : {&request.eval, &request.evaluated}) add(*patterns);
  for (const EvalSetRequest& set : request.evalSets) add(set.text);
  return bytes;
}

using PrepareFn = std::function<Result<PreparedData>(const DataRequest& request)>;

/// `prepare` is called for each stage with data of its own.
Result<std::vector<PreparedData>> stageData(const LoadedConfig& config, const PreparedData& own,
                                            const std::filesystem::path& cacheFolder, const PrepareFn& prepare) {
  const std::vector<RunStage> stages = runStages(config.config);
  std::vector<PreparedData> all;
  for (const RunStage& stage : stages) {
    const RunStage* same = nullptr;
    for (const RunStage& other : std::span(stages).first(all.size()))
      if (readsSameData(stage.config, other.config)) same = &other;
    if (readsSameData(stage.config, config.config)) {
      all.push_back(own);
    } else if (same != nullptr) {
      all.push_back(PreparedData(all[static_cast<std::size_t>(same - stages.data())]));
    } else {
      ASSIGN_OR_RETURN(auto request, stageDataRequest(config, stage, cacheFolder));
      if (!request.holdout) request.holdout = own.holdout;
      Result<PreparedData> made = prepare(request);
      if (!made.ok()) return made.error().about(stage.field);
      all.push_back(own);
      all.back().train = std::move(made->train);
      all.back().notes.clear();
      addOfStage(all.back().notes, made->notes, stage.field);
      all.back().fromCache = made->fromCache;
    }
  }
  return all;
}

}  // namespace

Result<DataRequest> dataRequest(const LoadedConfig& loaded, const std::filesystem::path& cacheFolder) {
  const TrainConfig& config = loaded.config;
  DataRequest request;
  request.cacheFolder = cacheFolder;
  request.baseFolder = loaded.baseFolder;
  request.maxSeqLen = static_cast<std::int32_t>(config.data.maxSeqLen);
  request.joinDocuments = config.data.joinDocuments;
  request.documentSeparator = config.data.documentSeparator;
  request.holdout = config.data.holdout;
  // A model that starts from a folder uses the vocabulary of that folder.
  request.tokenizer.path = config.tokenizer.path.empty() ? config.model.initFrom : config.tokenizer.path;
  request.tokenizer.kind = config.tokenizer.trainKind;
  request.tokenizer.vocabSize = static_cast<std::int32_t>(config.tokenizer.trainVocabSize);
  request.tokenizer.lowercase = config.tokenizer.lowercase;
  if (config.data.format == TextFormat::Demo) {
    request.demoSeed = static_cast<std::uint64_t>(config.data.demoSeed);
    return request;
  }
  request.format = config.data.format;
  request.textField = config.data.textField;
  request.train = config.data.train;
  request.temperature = config.data.temperature;
  request.removeDuplicates = config.data.removeDuplicates;
  request.eval = config.data.eval;
  for (const EvalSetConfig& set : config.eval.sets) request.evalSets.push_back({set.name, set.text});
  return request;
}

Result<DataRequest> stageDataRequest(const LoadedConfig& run, const RunStage& stage,
                                     const std::filesystem::path& cacheFolder) {
  LoadedConfig own;
  own.config = stage.config;
  own.baseFolder = run.baseFolder;
  ASSIGN_OR_RETURN(auto request, dataRequest(own, cacheFolder));
  request.tokenizer.text = run.config.data.train.names();
  // The run evaluates on its own data; what it holds out of a text is held out here, too.
  if (!request.eval.empty() || (!request.holdout && !request.evalSets.empty())) request.holdout = 0.0;
  request.evaluated = std::exchange(request.eval, {});
  for (const EvalSetRequest& set : std::exchange(request.evalSets, {}))
    request.evaluated.insert(request.evaluated.end(), set.text.begin(), set.text.end());
  return request;
}

Result<PreparedData> prepareLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                       EventSink& events, CommandMailbox& commands) {
  ASSIGN_OR_RETURN(const auto request, dataRequest(config, cacheFolder));
  PhaseReporter reporter(events, commands);
  Result<PreparedData> data = prepareData(request, reporter.progress(), reporter.stopped());
  if (data.ok()) noteSmallEvaluation(config.config, *data);
  return data;
}

Result<std::vector<PreparedData>> prepareStageData(const LoadedConfig& config, const PreparedData& own,
                                                   const std::filesystem::path& cacheFolder, EventSink& events,
                                                   CommandMailbox& commands) {
  PhaseReporter reporter(events, commands);
  return stageData(config, own, cacheFolder, [&](const DataRequest& request) {
    return prepareData(request, reporter.progress(), reporter.stopped());
  });
}

Result<std::vector<std::shared_ptr<const Lengths>>> cachedStageLengths(const LoadedConfig& config,
                                                                       const std::filesystem::path& cacheFolder) {
  ASSIGN_OR_RETURN(const auto own, cachedLaunchData(config, cacheFolder));
  std::stop_source stop;
  stop.request_stop();
  ASSIGN_OR_RETURN(const auto all, stageData(config, own, cacheFolder, [&](const DataRequest& request) {
                     return prepareData(request, {}, stop.get_token());
                   }));
  std::vector<std::shared_ptr<const Lengths>> lengths;
  for (const PreparedData& data : all) lengths.push_back(std::make_shared<const DatasetLengths>(data.train));
  return lengths;
}

Result<std::vector<std::string>> findMovedData(LoadedConfig& config, const std::filesystem::path& cacheFolder,
                                               EventSink& events, CommandMailbox& commands) {
  std::vector<std::string> notes;
  DataConfig& data = config.config.data;
  if (data.format == TextFormat::Demo) return notes;
  ASSIGN_OR_RETURN(const auto request, dataRequest(config, cacheFolder));
  PhaseReporter reporter(events, commands);
  std::vector<std::pair<std::string, std::vector<std::string>*>> fields = {{"data.eval", &data.eval}};
  for (TextSource& source : data.train.sources) fields.emplace_back("data.train", &source.text);
  for (EvalSetConfig& set : config.config.eval.sets) fields.emplace_back("eval.sets." + set.name, &set.text);
  for (StageConfig& stage : config.config.stages) RETURN_IF_ERROR(findMovedText(stage, request, reporter, notes));
  for (const auto& [field, patterns] : fields) {
    Result<ResolvedPatterns> found = findMovedFiles(*patterns, request, reporter.progress(), reporter.stopped());
    if (!found.ok()) return found.error().about(field);
    *patterns = std::move(found->patterns);
    notes.insert(notes.end(), found->notes.begin(), found->notes.end());
  }
  return notes;
}

Result<PreparedData> cachedLaunchData(const LoadedConfig& config, const std::filesystem::path& cacheFolder) {
  ASSIGN_OR_RETURN(const auto request, dataRequest(config, cacheFolder));
  std::stop_source stop;
  stop.request_stop();  // a preparation checks this before each long operation
  Result<PreparedData> data = prepareData(request, {}, stop.get_token());
  if (data.ok()) noteSmallEvaluation(config.config, *data);
  return data;
}

Result<std::vector<FieldProblem>> reviewLaunchText(const LoadedConfig& config, const std::filesystem::path& workspace) {
  constexpr std::int64_t kMostBytesRead = std::int64_t{256} << 20;
  const DataConfig& data = config.config.data;
  std::vector<FieldProblem> notes;
  if (data.format == TextFormat::Demo || data.train.empty()) return notes;
  std::filesystem::path cache = workspace / kCacheFolder;
  if (access(cache.c_str(), W_OK | X_OK) != 0) cache.clear();
  std::int64_t bytes = 0;
  const auto review = [&](const DataRequest& request) {
    bytes += textBytes(request);
    std::stop_source stop;
    if (bytes > kMostBytesRead) stop.request_stop();
    return reviewText(request, {}, stop.get_token());
  };
  ASSIGN_OR_RETURN(const auto request, dataRequest(config, cache));
  ASSIGN_OR_RETURN(notes, review(request));
  for (const RunStage& stage : runStages(config.config)) {
    if (readsSameData(stage.config, config.config)) continue;
    ASSIGN_OR_RETURN(const auto own, stageDataRequest(config, stage, cache));
    const auto found = review(own);
    if (!found.ok()) return found.error().about(stage.field);
    addOfStage(notes, *found, stage.field);
  }
  return notes;
}

std::filesystem::path metricsFile(const LoadedConfig& config) {
  const TokenBudgetConfig& tokens = config.config.batch.tokens;
  if (!tokens.enabled() || tokens.metricsPath.empty()) return {};
  return savedLengthsFile(config.baseFolder / expandedHome(tokens.metricsPath));
}

Result<std::shared_ptr<const Lengths>> lengthsOf(const LoadedConfig& config, const PreparedData& data) {
  const auto lengths = std::make_shared<const DatasetLengths>(data.train);
  if (const auto file = metricsFile(config); !file.empty()) RETURN_IF_ERROR(saveLengths(file, *lengths));
  return std::shared_ptr<const Lengths>(lengths);
}

}  // namespace batchwise
