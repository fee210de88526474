// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/fine_tuning.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/text.h"
#include "core/model/device_error.h"
#include "core/plan/epoch_order.h"
#include "core/plan/schedule/curves.h"
#include "core/train/checkpoint/checkpoint_state.h"
#include "core/train/checkpoint_every.h"
#include "core/train/probe.h"

namespace batchwise {
namespace {

constexpr double kWarmup = 0.1;  // of the steps
constexpr std::int64_t kPatience = 2;
constexpr const char* kBest = "best/";

/// Returns the factor of the rate at a step. The last step still learns.
double rateFactor(std::int64_t step, std::int64_t steps) {
  const auto warmup = static_cast<std::int64_t>(std::llround(kWarmup * static_cast<double>(steps)));
  if (step < warmup) return linearCurve(static_cast<double>(step + 1) / static_cast<double>(warmup), 0, 1);
  return linearCurve(static_cast<double>(step - warmup) / static_cast<double>(steps - warmup), 1, 0);
}

/// Returns how many separators the tokenizer puts between the texts of a pair: roberta has two.
std::int64_t separatorsOfPair(const Tokenizer& tokenizer) {
  using nlohmann::json;
  if (tokenizer.isBert()) return 1;
  const json file = json::parse(tokenizer.texts().json, nullptr, /*allow_exceptions=*/false);
  const json steps = file.value(json::json_pointer("/post_processor"), json::object());
  if (!steps.is_object()) return 1;
  for (const json& step : steps.value("processors", json::array({steps}))) {
    if (!step.is_object()) continue;
    if (step.value("type", "") == "RobertaProcessing") return 2;
    const json pair = step.value("pair", json::array());
    std::int64_t between = 0, texts = 0;
    for (const json& piece : pair) {
      if (piece.contains("Sequence")) ++texts;
      if (piece.contains("SpecialToken") && texts == 1) ++between;
    }
    if (between > 0) return between;
  }
  return 1;
}

void cutPair(std::vector<std::int32_t>& first, std::vector<std::int32_t>& second, std::int64_t maxTokens) {
  while (std::ssize(first) + std::ssize(second) > maxTokens) {
    auto& longer = first.size() > second.size() ? first : second;
    longer.erase(longer.end() - 2);  // before its separator
  }
}

at::Tensor sumOfLosses(const at::Tensor& outputs, const std::vector<double>& labels, bool numbers) {
  const at::Tensor wanted = torch::tensor(labels, torch::kDouble);
  if (numbers) return (outputs.squeeze(1) - wanted.to(outputs.device(), at::kFloat)).square().sum();
  return at::cross_entropy_loss(outputs, wanted.to(at::kLong).to(outputs.device()), {}, at::Reduction::Sum);
}

void addUnder(CheckpointState& state, const char* prefix, const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& named : copyToHost(tensors)) state.tensors.push_back({prefix + named.name, named.tensor});
}

Result<void> setWeights(EncoderModel& model, const std::vector<NamedTensor>& weights) {
  for (const NamedTensor& named : weights) RETURN_IF_ERROR(model.setTensor(named.name, named.tensor));
  model.parametersChanged();
  return {};
}

}  // namespace

ModelShape withTaskHead(ModelShape shape, const TaskData& data) {
  shape.taskHead = data.task.kind == TaskKind::TokenLabels ? TaskHead::Tokens : TaskHead::Sequence;
  shape.taskOutputs = std::max<std::int64_t>(1, std::ssize(data.classes));
  shape.layerDrop = 0;
  shape.attentionLogitL2 = 0;
  return shape;
}

AdamWOptions fineTuneOptimizer(const FineTuneOptions& options) {
  AdamWOptions adam;
  adam.beta2 = 0.999;
  adam.eps = 1e-8;
  adam.weightDecay = options.weightDecay;
  return adam;
}

/// What a training needs besides weights and moments to continue after an epoch.
struct FineTuning::Progress {
  std::int64_t epoch = 0;  ///< epochs done
  std::int64_t steps = 0, samples = 0;
  double seconds = 0;
  double best = -std::numeric_limits<double>::infinity();
  std::int64_t bestEpoch = 0;  ///< epochs done by then
  std::vector<NamedTensor> bestWeights = {};

  Result<void> save(Replica& replica, const std::filesystem::path& file) const {
    CheckpointState state;
    addUnder(state, checkpoint_names::kModel, replica.model.stateTensors());
    addUnder(state, checkpoint_names::kOptimizer, replica.optimizer.stateTensors());
    addUnder(state, kBest, bestWeights);
    state.facts = {{"epoch", std::to_string(epoch)},     {"steps", std::to_string(steps)},
                   {"samples", std::to_string(samples)}, {"seconds", formatExact(seconds)},
                   {"best", formatExact(best)},          {"best_epoch", std::to_string(bestEpoch)}};
    return writeCheckpoint(file, state);
  }
  /// Leaves everything as it is if there is no good file.
  Result<void> restore(Replica& replica, const std::filesystem::path& file) {
    const auto state = readCheckpoint(file);
    if (!state.ok()) return {};
    RETURN_IF_ERROR(setWeights(replica.model, tensorsUnder(*state, checkpoint_names::kModel)));
    for (const NamedTensor& named : tensorsUnder(*state, checkpoint_names::kOptimizer))
      RETURN_IF_ERROR(replica.optimizer.setState(named.name, named.tensor));
    bestWeights = tensorsUnder(*state, kBest);
    epoch = numberNamed<std::int64_t>(state->facts, "epoch").value_or(0);
    steps = numberNamed<std::int64_t>(state->facts, "steps").value_or(0);
    samples = numberNamed<std::int64_t>(state->facts, "samples").value_or(0);
    seconds = numberNamed(state->facts, "seconds").value_or(0);
    best = numberNamed(state->facts, "best").value_or(best);
    bestEpoch = numberNamed<std::int64_t>(state->facts, "best_epoch").value_or(0);
    return {};
  }
};

FineTuning::FineTuning(std::shared_ptr<const TaskData> data, const Tokenizer& tokenizer, const ModelShape& shape,
                       std::int64_t maxTokens)
    : data_(std::move(data)),
      encoded_(encodeTask(*data_, tokenizer, maxTokens)),
      separators_(separatorsOfPair(tokenizer)),
      hasTypes_(data_->task.kind == TaskKind::Pair && shape.typeVocabSize > 1) {
  notes_ = encoded_.notes;
  const std::size_t each = data_->task.kind == TaskKind::Pair ? 2 : 1;
  for (std::size_t part = 0; part < data_->parts.size(); ++part) {
    std::vector<Sample>& samples = parts_.emplace_back();
    const std::vector<TaskExample>& examples = data_->parts[part].examples;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      Sample sample = sampleOf(examples[i], std::span(encoded_.parts[part]).subspan(each * i, each), shape, maxTokens);
      if (!sample.labels.empty()) samples.push_back(std::move(sample));
    }
  }
}

FineTuning::Sample FineTuning::sampleOf(const TaskExample& example, std::span<const EncodedText> texts,
                                        const ModelShape& shape, std::int64_t maxTokens) const {
  Sample sample;
  sample.ids = texts.front().ids;
  if (texts.size() == 2) {
    std::vector<std::int32_t> second(texts[1].ids.begin() + 1, texts[1].ids.end());
    const std::vector<std::int32_t> more(static_cast<std::size_t>(separators_ - 1), sample.ids.back());
    cutPair(sample.ids, second, maxTokens - std::ssize(more));
    sample.ids.insert(sample.ids.end(), more.begin(), more.end());
    sample.firstLength = static_cast<std::int32_t>(sample.ids.size());
    sample.ids.insert(sample.ids.end(), second.begin(), second.end());
  }
  if (shape.taskHead == TaskHead::Sequence) {
    sample.places = pooledPlaces(shape, static_cast<std::int32_t>(sample.ids.size()));
    sample.labels = example.labels;
    return sample;
  }
  for (std::size_t word = 0; word < example.labels.size(); ++word) {
    if (texts.front().words[word] < 0) continue;
    sample.places.push_back(texts.front().words[word]);
    sample.labels.push_back(example.labels[word]);
  }
  return sample;
}

MicroBatch FineTuning::batchOf(std::span<const std::int64_t> samples, std::int64_t firstIndexInStep,
                               const std::vector<Sample>& of) const {
  MicroBatch batch;
  batch.firstIndexInStep = firstIndexInStep;
  batch.sequenceStarts.push_back(0);
  for (const std::int64_t id : samples) {
    const Sample& sample = of[static_cast<std::size_t>(id)];
    const auto start = static_cast<std::int32_t>(batch.tokens());
    for (const std::int32_t place : sample.places) batch.predictedPositions.push_back(start + place);
    batch.tokenIds.insert(batch.tokenIds.end(), sample.ids.begin(), sample.ids.end());
    if (hasTypes_)
      for (std::int32_t i = 0; i < std::ssize(sample.ids); ++i)
        batch.segmentTypes.push_back(i < sample.firstLength ? 0 : 1);
    batch.indicesInStep.push_back(static_cast<std::int32_t>(firstIndexInStep + batch.sequences()));
    batch.sampleIds.push_back(id);
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokens()));
    batch.longest = std::max(batch.longest, static_cast<std::int32_t>(sample.ids.size()));
  }
  batch.labels.assign(batch.predictedPositions.size(), 0);
  return batch;
}

std::int64_t FineTuning::stepsOf(const FineTuneOptions& options) const {
  return std::min(options.mostSteps, options.epochs * ceilDiv(std::ssize(parts_.front()), options.batch));
}

/// Splits samples into passes of about tokensPerPass_ tokens.
std::vector<std::span<const std::int64_t>> FineTuning::passesOf(std::span<const std::int64_t> samples,
                                                                const std::vector<Sample>& of) const {
  std::vector<std::span<const std::int64_t>> passes;
  for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    std::int64_t tokens = 0;
    for (; end < samples.size(); ++end) {
      tokens += std::ssize(of[static_cast<std::size_t>(samples[end])].ids);
      if (tokens > tokensPerPass_ && end > begin) break;
    }
    passes.push_back(samples.subspan(begin, end - begin));
  }
  return passes;
}

/// Adds the gradient of the mean loss over all labels of a step.
void FineTuning::addGradients(EncoderModel& model, std::span<const std::int64_t> samples,
                              const ForwardOptions& options) const {
  const std::vector<Sample>& train = parts_.front();
  std::int64_t all = 0, first = 0;
  for (const std::int64_t id : samples) all += std::ssize(train[static_cast<std::size_t>(id)].labels);
  for (const auto pass : passesOf(samples, train)) {
    std::vector<double> labels;
    for (const std::int64_t id : pass) {
      const std::vector<double>& own = train[static_cast<std::size_t>(id)].labels;
      labels.insert(labels.end(), own.begin(), own.end());
    }
    const at::Tensor outputs = model.taskOutputs(toDevice(batchOf(pass, first, train), model.device()), options);
    const torch::AutoGradMode recording(true);
    (sumOfLosses(outputs, labels, data_->classes.empty()) / static_cast<double>(all)).backward();
    first += std::ssize(pass);
  }
}

Result<void> FineTuning::trainEpoch(Replica& replica, const FineTuneOptions& options, Progress& progress,
                                    const Context& context) {
  const std::int64_t count = std::ssize(parts_.front()), steps = stepsOf(options);
  const EpochOrder order(count, static_cast<std::uint64_t>(options.seed), progress.epoch, DataOrder::Shuffled);
  const double start = context.clock.monotonicSec();
  for (std::int64_t place = 0; place < count && progress.steps < steps; place += options.batch) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(std::min(options.batch, count - place)));
    order.samplesFrom(place, samples);
    ForwardOptions forward;
    forward.seed = static_cast<std::uint64_t>(options.seed);
    forward.step = progress.steps;
    for (bool done = false; !done;) {
      replica.optimizer.zeroGradients();
      try {
        addGradients(replica.model, samples, forward);
        done = true;
      } catch (const std::exception& e) {
        if (!isOutOfMemory(e)) throw;
        if (passesOf(samples, parts_.front()).size() == samples.size())
          return caughtError("fine-tuning, one sample at a time");
        tokensPerPass_ /= 2;
      }
    }
    replica.optimizer.step(options.rate * rateFactor(progress.steps, steps));
    replica.model.parametersChanged();
    ++progress.steps;
    progress.samples += std::ssize(samples);
    context.progress(progress.steps, steps);
    if (context.stop.stop_requested()) return Error{ErrorCode::Stopped, "stopped while a model was fine-tuned", {}};
  }
  ++progress.epoch;
  progress.seconds += context.clock.monotonicSec() - start;
  return {};
}

Result<PartScore> FineTuning::score(EncoderModel& model, std::size_t part) {
  const torch::NoGradGuard noGrad;
  const std::vector<Sample>& samples = parts_[part];
  std::vector<std::int64_t> all(samples.size());
  std::iota(all.begin(), all.end(), 0);
  ForwardOptions options;
  options.training = false;
  std::vector<at::Tensor> outputs = {at::empty({0, model.shape().taskOutputs}, at::kFloat)};
  for (const auto pass : passesOf(all, samples))
    outputs.push_back(model.taskOutputs(toDevice(batchOf(pass, 0, samples), model.device()), options).to(at::kCPU));
  const at::Tensor found = at::cat(outputs).to(at::kDouble);
  if (!at::isfinite(found).all().item<bool>())
    return Error{ErrorCode::NonFinite,
                 "the model gives no numbers (NaN) on the task: its weights are not finite, or the learning rate is "
                 "far too high; use smaller --rates, or an earlier checkpoint",
                 {}};
  const bool words = data_->task.kind == TaskKind::TokenLabels;
  return scoredPart(*data_, data_->parts[part], labelledRows(data_->parts[part], encoded_.parts[part], words), found);
}

Result<FineTuneResult> FineTuning::run(Replica& replica, const FineTuneOptions& options, const Context& context) {
  if (parts_.front().empty()) return Error::config("no text of the training part has a label that the model can learn");
  if (tokensPerPass_ == 0) tokensPerPass_ = replica.model.device().is_cuda() ? 32768 : 4096;
  Progress progress;
  RETURN_IF_ERROR(progress.restore(replica, context.checkpoint));
  double saved = progress.seconds;
  while (progress.steps < stepsOf(options) && progress.epoch - progress.bestEpoch < kPatience) {
    RETURN_IF_ERROR(trainEpoch(replica, options, progress, context));
    ASSIGN_OR_RETURN(const auto validation, score(replica.model, 1));
    if (validation.value > progress.best) {
      progress.best = validation.value;
      progress.bestEpoch = progress.epoch;
      progress.bestWeights = copyToHost(replica.model.stateTensors(), progress.bestWeights);
    }
    if (progress.steps == stepsOf(options) || progress.seconds - saved < context.secondsToSave) continue;
    RETURN_IF_ERROR(progress.save(replica, context.checkpoint));
    saved = progress.seconds;
  }
  RETURN_IF_ERROR(setWeights(replica.model, progress.bestWeights));
  FineTuneResult result{{}, progress.bestEpoch, progress.steps, progress.samples, progress.seconds, {}};
  for (std::size_t part = 1; part < parts_.size(); ++part) {
    ASSIGN_OR_RETURN(auto scores, score(replica.model, part));
    result.parts.push_back(std::move(scores));
  }
  std::error_code ignored;
  std::filesystem::remove(context.checkpoint, ignored);
  return result;
}

}  // namespace batchwise
