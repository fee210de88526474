// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/fine_tuning.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/model/device_batch.h"
#include "core/model/device_error.h"
#include "core/plan/epoch_order.h"
#include "core/plan/schedule/curves.h"
#include "core/text/tokenizer_json.h"
#include "core/train/checkpoint/checkpoint_state.h"

namespace batchwise {
namespace {

constexpr double kWarmup = 0.1;  // of the steps
constexpr std::int64_t kPatience = 2;

/// Returns the factor of the rate at a step. The last step still learns.
double rateFactor(std::int64_t step, std::int64_t steps) {
  const auto warmup = static_cast<std::int64_t>(std::llround(kWarmup * static_cast<double>(steps)));
  if (step < warmup) return linearCurve(static_cast<double>(step + 1) / static_cast<double>(warmup), 0, 1);
  return linearCurve(static_cast<double>(step - warmup) / static_cast<double>(steps - warmup), 1, 0);
}

/// Returns the tokens between the texts of a pair: roberta has two separators.
std::vector<std::int32_t> betweenPair(const Tokenizer& tokenizer) {
  if (!tokenizer.isBert())
    if (const auto file = parseTokenizerJson(tokenizer.texts().json); file.ok() && !file->between.empty())
      return file->between;
  return {tokenizer.vocabulary().special().sep};
}

/// Cuts the longer text first, as transformers' longest_first: an odd token stays with the text that was longer.
void cutPair(std::vector<std::int32_t>& first, std::vector<std::int32_t>& second, std::size_t most) {
  auto& longer = first.size() > second.size() ? first : second;
  auto& shorter = &longer == &first ? second : first;
  shorter.resize(std::min(shorter.size(), most / 2));
  longer.resize(std::min(longer.size(), most - shorter.size()));
}

at::Tensor sumOfLosses(const at::Tensor& outputs, const std::vector<double>& labels, bool numbers) {
  at::Tensor wanted = stagingTensor({std::ssize(labels)}, numbers ? at::kFloat : at::kLong, outputs.device());
  wanted.copy_(torch::tensor(labels, torch::kDouble));
  wanted = wanted.to(outputs.device(), /*non_blocking=*/true);
  return numbers ? (outputs.squeeze(1) - wanted).square().sum()
                 : at::cross_entropy_loss(outputs, wanted, {}, at::Reduction::Sum);
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

FineTuning::FineTuning(std::shared_ptr<const TaskData> data, const Tokenizer& tokenizer, const ModelShape& shape,
                       std::int64_t maxTokens, const FineTuneOptions& options)
    : data_(std::move(data)),
      options_(options),
      hasTypes_(isPairs() && shape.typeVocabSize > 1),
      between_(betweenPair(tokenizer)) {
  EncodedTask encoded = encodeTask(*data_, tokenizer, isPairs() ? std::numeric_limits<std::int32_t>::max() : maxTokens);
  notes_ = std::move(encoded.notes);
  const std::size_t each = isPairs() ? 2 : 1;
  std::int64_t pairs = 0, cut = 0;
  for (std::size_t part = 0; part < data_->parts.size(); ++part) {
    std::vector<TaskSample>& samples = parts_.emplace_back();
    const std::vector<TaskExample>& examples = data_->parts[part].examples;
    pairs += std::ssize(examples);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const std::span<const EncodedText> texts = std::span(encoded.parts[part]).subspan(each * i, each);
      TaskSample sample = sampleOf(examples[i], texts, shape, maxTokens);
      if (isPairs() && texts[0].ids.size() + texts[1].ids.size() + between_.size() - 2 > sample.ids.size()) ++cut;
      if (!sample.rows.empty()) samples.push_back(std::move(sample));
    }
  }
  if (cut > 0)
    notes_.push_back(formatText("{} of {} are longer than {} tokens and are cut, the longer text of each first", cut,
                                countText(pairs, "pair"), maxTokens));
  const std::int64_t perEpoch = ceilDiv(std::ssize(parts_.front()), options_.batch);
  if (steps() < options_.epochs * perEpoch)
    notes_.push_back(formatText("trained for at most {} of {} epochs: --steps {}",
                                formatDecimals(static_cast<double>(steps()) / static_cast<double>(perEpoch), 1),
                                options_.epochs, options_.mostSteps));
}

TaskSample FineTuning::sampleOf(const TaskExample& example, std::span<const EncodedText> texts, const ModelShape& shape,
                                std::int64_t maxTokens) const {
  TaskSample sample;
  sample.ids = texts.front().ids;
  if (isPairs()) {
    const std::int32_t last = sample.ids.back();
    std::vector<std::int32_t> first(sample.ids.begin() + 1, sample.ids.end() - 1);
    std::vector<std::int32_t> second(texts[1].ids.begin() + 1, texts[1].ids.end() - 1);
    cutPair(first, second, static_cast<std::size_t>(maxTokens) - 2 - between_.size());
    sample.ids.resize(1);
    sample.ids.insert(sample.ids.end(), first.begin(), first.end());
    sample.ids.insert(sample.ids.end(), between_.begin(), between_.end());
    if (hasTypes_) sample.firstLength = static_cast<std::int32_t>(sample.ids.size());
    sample.ids.insert(sample.ids.end(), second.begin(), second.end());
    sample.ids.push_back(last);
  }
  if (shape.taskHead == TaskHead::Sequence) {
    sample.places = pooledPlaces(shape, static_cast<std::int32_t>(sample.ids.size()));
    sample.rows.push_back({example.number, example.labels.front()});
  } else {
    sample.addWords(example, texts.front());
  }
  return sample;
}

std::int64_t FineTuning::steps() const {
  return std::min(options_.mostSteps, options_.epochs * ceilDiv(std::ssize(parts_.front()), options_.batch));
}

/// inPasses() over a part, with the outputs of each pass.
Result<void> FineTuning::inPassesOf(EncoderModel& model, std::size_t part, std::span<const std::int64_t> samples,
                                    const ForwardOptions& options, const std::function<void()>& begin,
                                    const TakeOutputs& take) {
  return inPasses(parts_[part], samples, tokensPerPass_, "fine-tuning, one sample at a time", begin,
                  [&](const MicroBatch& batch, std::span<const std::int64_t> pass) -> Result<void> {
                    take(model.taskOutputs(toDevice(batch, model.device()), options), pass);
                    return {};
                  });
}

Result<void> FineTuning::trainEpoch(Replica& replica, std::int64_t epoch, const Progress& progress,
                                    const std::stop_token& stop) {
  const std::vector<TaskSample>& train = parts_.front();
  const std::int64_t count = std::ssize(train), seed = options_.seed;
  const EpochOrder order(count, static_cast<std::uint64_t>(seed), epoch, DataOrder::Shuffled);
  for (std::int64_t place = 0; place < count && step_ < steps(); place += options_.batch) {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(std::min(options_.batch, count - place)));
    order.samplesFrom(place, samples);
    std::int64_t labelled = 0;  // the gradient is that of the mean loss over all labels of the step
    for (const std::int64_t id : samples) labelled += std::ssize(train[static_cast<std::size_t>(id)].rows);
    ForwardOptions forward;
    forward.seed = static_cast<std::uint64_t>(seed);
    forward.step = step_;
    const auto addGradient = [&](const at::Tensor& outputs, std::span<const std::int64_t> pass) {
      std::vector<double> labels;
      for (const std::int64_t id : pass)
        for (const LabelledRow& row : train[static_cast<std::size_t>(id)].rows) labels.push_back(row.label);
      const torch::AutoGradMode recording(true);
      (sumOfLosses(outputs, labels, data_->classes.empty()) / static_cast<double>(labelled)).backward();
    };
    RETURN_IF_ERROR(inPassesOf(
        replica.model, 0, samples, forward, [&] { replica.optimizer.zeroGradients(); }, addGradient));
    replica.optimizer.step(options_.rate * rateFactor(step_, steps()));
    replica.model.parametersChanged();
    ++step_;
    progress(step_, steps());
    if (stop.stop_requested()) return Error{ErrorCode::Stopped, "stopped while a model was fine-tuned", {}};
  }
  return {};
}

Result<PartScore> FineTuning::score(EncoderModel& model, std::size_t part) {
  const torch::NoGradGuard noGrad;
  std::vector<std::int64_t> all(parts_[part].size());
  std::iota(all.begin(), all.end(), 0);
  ForwardOptions options;
  options.training = false;
  std::vector<at::Tensor> outputs;
  RETURN_IF_ERROR(inPassesOf(
      model, part, all, options,
      [&] {
        outputs = {at::empty({0, model.shape().taskOutputs}, at::kFloat)};
      },
      [&](const at::Tensor& of, std::span<const std::int64_t>) { outputs.push_back(of.to(at::kCPU)); }));
  const at::Tensor found = at::cat(outputs).to(at::kDouble);
  if (!at::isfinite(found).all().item<bool>())
    return Error{ErrorCode::NonFinite,
                 "the model gives no numbers (NaN) on the task: its weights are not finite, or the learning rate is "
                 "far too high; use smaller --rates, or an earlier checkpoint",
                 {}};
  return scoredPart(*data_, data_->parts[part].name, parts_[part], found);
}

Result<JudgeResult> FineTuning::run(Replica& replica, const Progress& progress, const std::stop_token& stop,
                                    const Clock& clock) {
  if (parts_.front().empty()) return Error::config("no text of the training part has a label that the model can learn");
  if (tokensPerPass_ == 0) tokensPerPass_ = replica.model.device().is_cuda() ? 32768 : 4096;
  JudgeResult result;
  double best = -std::numeric_limits<double>::infinity();
  std::int64_t bestEpoch = 0;
  std::vector<NamedTensor> bestWeights;
  step_ = 0;
  for (std::int64_t epoch = 0; step_ < steps() && epoch - bestEpoch < kPatience; ++epoch) {
    const double start = clock.monotonicSec();
    const std::int64_t first = step_;
    RETURN_IF_ERROR(trainEpoch(replica, epoch, progress, stop));
    result.seconds += clock.monotonicSec() - start;
    result.samples += std::min((step_ - first) * options_.batch, std::ssize(parts_.front()));
    ASSIGN_OR_RETURN(const auto validation, score(replica.model, 1));
    if (validation.value <= best) continue;
    best = validation.value;
    bestEpoch = epoch + 1;
    bestWeights = copyToHost(replica.model.stateTensors(), bestWeights);
  }
  for (const NamedTensor& named : bestWeights) RETURN_IF_ERROR(replica.model.setTensor(named.name, named.tensor));
  replica.model.parametersChanged();
  for (std::size_t part = 1; part < parts_.size(); ++part) {
    ASSIGN_OR_RETURN(auto scores, score(replica.model, part));
    result.parts.push_back(std::move(scores));
  }
  return result;
}

}  // namespace batchwise
