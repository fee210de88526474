// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/launch/first_config.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/model/hugging_face/start_weights.h"
#include "core/model/shape/training_cost.h"
#include "core/plan/microbatch_search.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/scaling_plan.h"
#include "core/store/workspace_folder.h"
#include "core/text/file_identity.h"
#include "core/text/text_files.h"
#include "core/text/tokenizer.h"

namespace batchwise {
namespace {

constexpr double kMaxSeconds = 3600;
constexpr std::int64_t kMaxEpochs = 40;
constexpr double kTokensPerParameter = 20;
constexpr std::int64_t kSpecialTokens = 2;
constexpr std::int64_t kContinuedEpochs = 3;
constexpr double kGeneralWeight = 0.5;  // in eval.loss, beside the own text

ModelPreset presetForTokens(std::int64_t tokens) {
  if (tokens < 2'000'000) return ModelPreset::Tiny;
  if (tokens < 20'000'000) return ModelPreset::Mini;
  if (tokens < 200'000'000) return ModelPreset::Small;
  return tokens < 5'000'000'000 ? ModelPreset::Base : ModelPreset::Large;
}

/// Peak rate of fresh weights, lower for larger models.
double rateFor(ModelPreset preset) {
  constexpr double kRates[] = {1e-3, 1e-3, 5e-4, 3e-4, 1e-4};
  return kRates[static_cast<std::size_t>(preset)];
}

/// Peak rate of a model that goes on, base and large, as in BioClinical ModernBERT (Sounack et al. 2025).
double continuedRate(const ModelShape& shape) {
  constexpr std::int64_t kLarge = 300'000'000;
  return shape.parameterCount() < kLarge ? 3e-4 : 5e-5;
}

/// The shortest length that 95 % of the documents fit into.
std::int64_t lengthFor(const TextSurvey& text, std::int64_t longest) {
  constexpr std::int64_t kShortest = 32;
  const std::int64_t needed = text.tokensOf(text.longWords) + kSpecialTokens;
  const auto rounded = std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, needed)));
  return std::min(longest, std::max(kShortest, static_cast<std::int64_t>(rounded)));
}

std::int64_t samplesOf(const TextSurvey& text, std::int64_t length) {
  return std::max(text.documents, text.estimatedTokens() / std::max<std::int64_t>(1, length - 2));
}

/// A power of two up to `largest` that gives an epoch at least 20 batches, if it has as many samples.
std::int64_t batchFor(std::int64_t samples, std::int64_t largest) {
  constexpr std::int64_t kFewestBatches = 20;
  const std::int64_t most = std::clamp<std::int64_t>(samples / kFewestBatches, 1, largest);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

/// Own text together with the general text that is trained on.
TextSurvey trainedText(const FirstRun& run) {
  TextSurvey text = run.text;
  if (!run.general || text.textBytes == 0) return text;
  const double more = static_cast<double>(run.general->trainBytes) / static_cast<double>(text.textBytes);
  text.words += std::llround(static_cast<double>(text.words) * more);
  text.textBytes += run.general->trainBytes;
  text.documents += run.general->trainDocuments;
  return text;
}

void addFreshModel(const FirstRun& run, ModelPreset preset, TrainConfig& config) {
  constexpr std::int64_t kLargestBatch = 256;
  config.batch.globalTrainBatchSize = batchFor(samplesOf(run.text, config.data.maxSeqLen), kLargestBatch);
  config.optimizer.lr = rateFor(preset);
  config.model.preset = preset;
  config.tokenizer.trainVocabSize = vocabularyForText(run.text.textBytes);
  config.tokenizer.lowercase = run.text.language.value_or("en") == "en";  // lower-casing strips accents
}

/// As the recipe has it; only sizes are fitted.
void addContinuedModel(const FirstRun& run, TrainConfig& config) {
  config.batch.globalTrainBatchSize =
      batchFor(samplesOf(trainedText(run), config.data.maxSeqLen), config.batch.globalTrainBatchSize);
  if (run.model->shape) config.optimizer.lr = continuedRate(*run.model->shape);
  config.model.initFrom = run.model->folder.native();
  config.tokenizer.lowercase = run.model->lowercase;
}

TrainConfig configFor(const FirstRun& run, ModelPreset preset, bool onGpu) {
  TrainConfig config = run.model ? parseConfig(bundledConfig("continue"), "continue", {}).config : TrainConfig();
  config.name = run.name;
  config.devices.use = run.devices;
  config.data.train = run.paths;
  config.data.format = run.text.format;
  if (namesTextField(run.text.format)) config.data.textField = run.text.textField;
  const std::int64_t longest = onGpu ? 512 : 128;
  const bool limited = run.model && run.model->shape;
  config.data.maxSeqLen = lengthFor(run.text, limited ? std::min(longest, run.model->shape->maxPositions) : longest);
  config.data.holdout = firstHoldout(run.text);
  if (run.general && !run.general->train.empty())
    config.data.train.sources.front().text.push_back(run.general->train.native());
  if (run.general) config.eval.sets = {{"general", {run.general->eval.native()}, kGeneralWeight}};
  if (run.model)
    addContinuedModel(run, config);
  else
    addFreshModel(run, preset, config);
  return config;
}

LoadedConfig loadedFrom(const TrainConfig& config) {
  LoadedConfig loaded;
  loaded.config = config;
  return loaded;
}

/// Operations of one epoch; 0 if the configuration has no valid shape.
double operationsOfEpoch(const FirstRun& run, const TrainConfig& config) {
  const auto shape = plannedShape(loadedFrom(config));
  if (!shape.ok()) return 0;
  const TextSurvey text = trainedText(run);
  const auto tokens = static_cast<double>(text.estimatedTokens());
  const auto samples = static_cast<double>(samplesOf(text, config.data.maxSeqLen));
  return trainingCost(*shape, config.data.mlmProbability).operations(tokens, samples);
}

bool fitsMemory(const TrainConfig& config, const MachineInfo& machine) {
  if (machine.gpus > 0 || machine.memoryBytes <= 0) return true;  // a GPU's memory is known at launch
  const auto forecast = forecastMemory(loadedFrom(config), 1, nullptr);
  return !forecast.ok() || forecast->perDevice.total() <= machine.memoryBytes / 2;
}

/// Epochs that a model of this size wants of the text.
double epochsBySize(const FirstRun& run, const TrainConfig& config) {
  const auto shape = plannedShape(loadedFrom(config));
  const double wanted = shape.ok() ? kTokensPerParameter * static_cast<double>(shape->parameterCount()) : 0;
  return std::ceil(wanted / static_cast<double>(std::max<std::int64_t>(1, run.text.estimatedTokens())));
}

/// Sets the epochs, at least one, and why there are not more.
void chooseEpochs(const FirstRun& run, double secondsPerEpoch, FirstConfig& first) {
  using Limit = FirstConfig::EpochLimit;
  if (run.epochs) {
    first.epochs = *run.epochs;
    first.epochLimit = Limit::Given;
    return;
  }
  double most = static_cast<double>(run.model ? kContinuedEpochs : kMaxEpochs);
  first.epochLimit = run.model ? Limit::Recipe : Limit::Most;
  if (const double bySize = run.model ? most : epochsBySize(run, first.config); bySize < most) {
    most = bySize;
    first.epochLimit = Limit::Size;
  }
  if (const double byTime = secondsPerEpoch > 0 ? std::floor(kMaxSeconds / secondsPerEpoch) : most; byTime < most) {
    most = byTime;
    first.epochLimit = Limit::Time;
  }
  first.epochs = std::max(std::int64_t{1}, static_cast<std::int64_t>(most));
}

void inspectConfig(StartingModel& model) {
  const auto shape = readFolderShape(model.folder);
  if (!shape.ok()) return model.problems.push_back(shape.error().text());
  model.shape = *shape;
}

void inspectVocabulary(StartingModel& model) {
  const auto tokenizer = Tokenizer::load(model.folder, model.lowercase);
  if (!tokenizer.ok()) return model.problems.push_back(tokenizer.error().text());
  model.vocabularySize = tokenizer->vocabulary().size();
  if (model.shape && !resolveModelShape(ModelConfig{}, *model.shape, model.vocabularySize, 1).ok())
    model.problems.push_back(
        formatText("the tokenizer has {} tokens, but config.json specifies {}; take both from the same model",
                   formatInteger(model.vocabularySize), formatInteger(model.shape->vocabSize)));
  model.lowercase = tokenizer->lowercase();
}

/// Notes what the folder lacks, and what of it is not used.
void inspectTensors(StartingModel& model) {
  const auto folder = checkModelFolder(model.folder);
  if (!folder.ok()) return model.problems.push_back(folder.error().text());
  model.notes = startNotes(*folder, *model.shape, model.vocabularySize);
}

constexpr std::string_view kMark = ".batchwise-text-";

/// Returns a hash of all that decides what is drawn.
std::string digestOf(const GeneralTextRequest& request, const std::vector<FileIdentity>& files) {
  constexpr std::size_t kDigits = 8;
  Hasher hasher;
  hasher.update("general text 1 " + std::string(choiceName(request.general.format)) + " " + request.general.textField +
                "\n" + std::string(choiceName(request.own.format)) + " " + request.own.textField + "\n" +
                std::to_string(request.own.textBytes) + " " + formatExact(request.share) + " " +
                formatExact(request.holdout) + "\n");
  for (const FileIdentity& file : files) hasher.update(file.readingKey());
  return hasher.digest().hex().substr(0, kDigits);
}

}  // namespace

StartingModel inspectStartingModel(const std::filesystem::path& folder) {
  StartingModel model;
  model.folder = folder;
  inspectConfig(model);
  inspectVocabulary(model);
  if (model.shape) inspectTensors(model);
  return model;
}

double firstHoldout(const TextSurvey& text) {
  constexpr std::int64_t kFewest = 10;
  constexpr double kWanted = 100;  // evaluation documents
  return text.documents < kFewest ? 0.0 : std::clamp(kWanted / static_cast<double>(text.documents), 0.01, 0.1);
}

FirstConfig firstConfig(FirstRun run, const MachineInfo& whole) {
  MachineInfo machine = whole;
  if (run.model) run.text.bytesPerToken = expectedBytesPerToken(run.model->vocabularySize);
  if (run.devices.starts_with("cpu")) machine.gpus = 0;
  const bool given = run.preset || run.model;
  auto preset = static_cast<int>(run.preset.value_or(presetForTokens(run.text.estimatedTokens())));
  FirstConfig first;
  first.limit = given ? FirstConfig::Limit::Given : FirstConfig::Limit::Text;
  double secondsPerEpoch = 0;
  for (;; --preset) {
    first.config = configFor(run, static_cast<ModelPreset>(preset), machine.gpus > 0);
    secondsPerEpoch = operationsOfEpoch(run, first.config) / roughOperationsPerSec(first.config, machine);
    const bool fits = fitsMemory(first.config, machine);
    if (given || preset == 0 || (fits && secondsPerEpoch <= kMaxSeconds)) break;
    first.limit = fits ? FirstConfig::Limit::Time : FirstConfig::Limit::Memory;
  }
  chooseEpochs(run, secondsPerEpoch, first);
  first.config.maxDuration = Time::of(first.epochs, TimeUnit::Epoch);
  const TextSurvey text = trainedText(run);
  first.samples = std::max<std::int64_t>(1, samplesOf(text, first.config.data.maxSeqLen));
  first.tokensPerSample = std::clamp(text.estimatedTokens() / first.samples + kSpecialTokens, kShortestSequence,
                                     std::max(kShortestSequence, first.config.data.maxSeqLen));
  return first;
}

namespace fs = std::filesystem;

Result<std::shared_ptr<DrawnText>> DrawnText::draw(GeneralTextRequest request, const std::string& name,
                                                   const fs::path& workspace, std::stop_token stop) {
  SurveyRequest survey;
  survey.paths = request.paths;
  ASSIGN_OR_RETURN(request.general, surveyText(survey, {}, stop));
  ASSIGN_OR_RETURN(const auto paths, findTextFiles(request.paths, {}, request.general.format));
  RETURN_IF_ERROR(makeFolders(workspace / kCacheFolder));
  FileIdentities identities(workspace / kCacheFolder / "files.json");
  ASSIGN_OR_RETURN(const auto files, identities.of(
                                         paths, [](std::int64_t, std::int64_t) {}, stop));
  const fs::path texts = workspace / kTextsFolder;
  RETURN_IF_ERROR(makeFolders(texts));
  removeStagedFolders(texts, kMark);
  ASSIGN_OR_RETURN(auto staged, StagedFolder::make(texts, kMark));
  request.folder = staged.path();
  ASSIGN_OR_RETURN(auto text, writeGeneralText(request, {}, stop));
  return std::shared_ptr<DrawnText>(
      new DrawnText(std::move(staged), std::move(text), texts / (name + "-" + digestOf(request, files))));
}

Result<GeneralText> DrawnText::keep() {
  std::error_code ignored;
  if (staged_ != nullptr && !fs::exists(place_, ignored)) {
    const fs::perms mode = fs::status(place_.parent_path(), ignored).permissions();
    if (!ignored) fs::permissions(staged_->path(), mode, ignored);  // while drawn, it was for us only
    RETURN_IF_ERROR(staged_->moveTo(place_));
    moved_ = true;
  }
  staged_.reset();
  GeneralText kept = text_;
  for (fs::path* file : {&kept.train, &kept.eval})
    if (!file->empty()) *file = place_ / file->filename();
  return kept;
}

DrawnText::~DrawnText() {
  if (staged_ == nullptr && !moved_) return;
  staged_.reset();
  std::error_code inUse;
  if (moved_) fs::remove_all(place_, inUse);
  fs::remove(place_.parent_path(), inUse);  // with the last one
}

}  // namespace batchwise
