// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/evaluation.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/bounded_queue.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/task_config.h"
#include "core/model/device_error.h"
#include "core/train/train_loop.h"

namespace batchwise {
namespace {

// Large enough to keep the device busy.
std::int64_t tokensPerPass(c10::Device device) {
  return device.is_cuda() ? 65536 : 8192;
}

struct Share {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Share shareOf(std::int64_t samples, const Communicator& ranks) {
  const std::int64_t size = ranks.size();
  const std::int64_t each = samples / size;
  const std::int64_t more = samples % size;
  const std::int64_t begin = each * ranks.rank() + std::min(ranks.rank(), more);
  return {begin, begin + each + (ranks.rank() < more ? 1 : 0)};
}

struct PreparedPass {
  std::int64_t end = 0;  // of the samples of the pass
  MicroBatch batch;
};

// Makes the passes of `rest`, in order.
Prefetcher<PreparedPass>::Make passesOf(const TrainingData& data, std::int64_t draw, const PassLimit& size,
                                        const Share& rest) {
  return [data, draw, size, next = rest.begin, end = rest.end](const std::stop_token&) mutable {
    if (next == end) return Result(std::optional<PreparedPass>());
    const std::int64_t begin = std::exchange(next, size.endFrom(data.samples, next, end));
    std::vector<std::int64_t> ids(static_cast<std::size_t>(next - begin));
    std::iota(ids.begin(), ids.end(), begin);
    PreparedPass pass{next, buildMicroBatch(data.samples, ids, begin, MaskingKey{data.seed, draw}, data.masks)};
    if (Result<void> intact = data.samples.intact(); !intact.ok())
      return Result<std::optional<PreparedPass>>(intact.error());
    return Result(std::optional(std::move(pass)));
  };
}

// Standard error of the mean of the draws.
std::optional<double> standardError(std::span<const double> draws) {
  if (draws.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(draws.size());
  const double mean = std::accumulate(draws.begin(), draws.end(), 0.0) / count;
  double squares = 0;
  for (const double draw : draws) squares += (draw - mean) * (draw - mean);
  return std::sqrt(squares / (count - 1) / count);
}

// The other ranks wait for the end of a probe, whatever it is.
Result<ProbeResult> probed(TaskProbe& probe, EncoderModel& model, const ProbeProgress& progress,
                           const StopCheck& stop) try {
  return probe.run(model, progress, stop);
} catch (const std::exception&) {
  return caughtError("the probe of a task");
}

// One sample per token inside [CLS] and [SEP]: the token and the rest of its word are masked, the token is predicted.
std::vector<MicroBatch> hiddenTokens(const std::vector<std::int32_t>& sequence, const WordTable& words,
                                     const MaskSpec& masks, std::int64_t tokensPerBatch, std::int64_t& wordCount) {
  const auto length = static_cast<std::int32_t>(sequence.size());
  std::vector<MicroBatch> batches;
  for (std::int32_t place = 1; place + 1 < length; ++place) {
    const auto continues = [&](std::int32_t at) {
      return at + 1 < length && words.continues(sequence[static_cast<std::size_t>(at)]);
    };
    if (place == 1 || !continues(place)) ++wordCount;
    if (batches.empty() || batches.back().tokens() + length > tokensPerBatch) {
      batches.emplace_back().sequenceStarts = {0};
      batches.back().longest = length;
    }
    MicroBatch& batch = batches.back();
    const auto start = static_cast<std::int32_t>(batch.tokens());
    batch.tokenIds.insert(batch.tokenIds.end(), sequence.begin(), sequence.end());
    for (std::int32_t at = place; at == place || continues(at); ++at)
      batch.tokenIds[static_cast<std::size_t>(start) + static_cast<std::size_t>(at)] = masks.maskId;
    batch.predictedPositions.push_back(start + place);
    batch.labels.push_back(sequence[static_cast<std::size_t>(place)]);
    batch.indicesInStep.push_back(static_cast<std::int32_t>(batch.sequences()));
    batch.sampleIds.push_back(batch.sequences());
    batch.sequenceStarts.push_back(start + length);
  }
  return batches;
}

}  // namespace

EvaluationProgress publishedProgress(std::function<void(const RunEvent&)> publish, const Clock& clock,
                                     std::string phase, std::string unit) {
  constexpr double kSecondsBetweenReports = 0.25;
  return [publish = std::move(publish), &clock, phase = std::move(phase), unit = std::move(unit),
          last = -kSecondsBetweenReports](std::int64_t done, std::int64_t total) mutable {
    const double now = clock.monotonicSec();
    if (now - last < kSecondsBetweenReports && done < total) return;
    last = now;
    publish(PhaseProgress{phase, static_cast<double>(done), static_cast<double>(total), unit});
  };
}

// Sums over the passes of a draw, on the device.
struct EvaluationSums {
  explicit EvaluationSums(c10::Device device)
      : loss(torch::zeros({}, torch::TensorOptions(device).dtype(torch::kDouble))),
        correct(torch::zeros({}, torch::TensorOptions(device).dtype(torch::kLong))) {}

  // Adds a pass. Returns OutOfMemory if it does not fit into device memory; then nothing was added.
  std::optional<Error> add(EncoderModel& model, const TrainingData& data, const MicroBatch& batch) try {
    const LossSums pass = model.forward(toDevice(batch, model.device()), {data.seed, 0, /*training=*/false});
    loss.add_(pass.loss);
    correct.add_(pass.correct);
    predicted += pass.predicted;
    tokens += batch.tokens();
    if (data.bytes) bytes += data.bytes->under(batch.labels);
    return std::nullopt;
  } catch (const std::exception& e) {
    if (!isOutOfMemory(e)) throw;
    return caughtError("evaluation, one sample at a time");
  }

  at::Tensor loss;
  at::Tensor correct;
  std::int64_t predicted = 0;
  std::int64_t tokens = 0;
  double bytes = 0;
};

std::int64_t PassLimit::endFrom(const TokenDataset& data, std::int64_t begin, std::int64_t end) const {
  if (samples) return std::min(end, begin + *samples);
  std::int64_t taken = data.length(begin);
  std::int64_t next = begin + 1;
  while (next < end && taken + data.length(next) <= tokens) taken += data.length(next++);
  return next;
}

void PassLimit::halve() {
  if (samples) samples = std::max<std::int64_t>(1, *samples / 2);
  tokens /= 2;
}

Evaluation::Evaluation(TrainingData data, std::optional<std::int64_t> microbatchSamples, std::int64_t draws)
    : data_(std::move(data)), draws_(draws), microbatchSamples_(microbatchSamples) {}

Result<void> Evaluation::addDraw(EncoderModel& model, std::int64_t draw, const Communicator& ranks,
                                 const EvaluationProgress& progress, const FreeMemory& freeMemory, PassLimit& size,
                                 EvaluationSums& sums) {
  constexpr std::size_t kAhead = 2;  // passes
  const Share share = shareOf(data_.samples.size(), ranks);
  const std::int64_t samples = share.end - share.begin;
  std::optional<Prefetcher<PreparedPass>> passes;
  for (std::int64_t begin = share.begin; begin < share.end;) {
    if (!passes) passes.emplace(passesOf(data_, draw, size, {begin, share.end}), kAhead);
    ASSIGN_OR_RETURN(const auto pass, passes->next());
    const PreparedPass& prepared = pass.value();
    if (const std::optional<Error> tooLarge = sums.add(model, data_, prepared.batch)) {
      if (!(freeMemory && freeMemory())) {
        if (prepared.batch.sequences() == 1) return *tooLarge;
        size.halve();
      }
      passes.reset();
      continue;
    }
    begin = prepared.end;
    progress(draw * samples + begin - share.begin, draws_ * samples);
  }
  return {};
}

Result<EvalResult> Evaluation::run(EncoderModel& model, Communicator& ranks, const EvaluationProgress& progress,
                                   const FreeMemory& freeMemory) {
  constexpr std::size_t kFigures = 5;  // of a draw
  const torch::NoGradGuard noGrad;
  PassLimit size{microbatchSamples_, tokensPerPass(model.device())};
  std::vector<double> sums;
  for (std::int64_t draw = 0; draw < draws_; ++draw) {
    EvaluationSums own(model.device());
    RETURN_IF_ERROR(addDraw(model, draw, ranks, progress, freeMemory, size, own));
    sums.insert(sums.end(), {own.loss.item<double>(), static_cast<double>(own.correct.item<std::int64_t>()),
                             static_cast<double>(own.predicted), static_cast<double>(own.tokens), own.bytes});
  }
  RETURN_IF_ERROR(ranks.allReduceValues(sums));
  std::array<double, kFigures> all{};
  std::vector<double> losses;
  for (std::size_t i = 0; i < sums.size(); ++i) all[i % kFigures] += sums[i];
  const auto [loss, correct, predicted, tokens, bytes] = all;
  if (predicted == 0) return Error::config("the evaluation text has no token to predict; use more text");
  for (std::size_t i = 0; i < sums.size(); i += kFigures) losses.push_back(sums[i] / sums[i + 2]);
  EvalResult result;
  result.loss = loss / predicted;
  result.perplexity = std::exp(result.loss);
  result.accuracy = correct / predicted;
  result.samples = data_.samples.size();
  result.tokens = static_cast<std::int64_t>(tokens) / draws_;
  result.predicted = static_cast<std::int64_t>(predicted);
  result.bytes = std::llround(bytes);
  if (bytes > 0) result.bitsPerByte = loss / std::numbers::ln2 / bytes;
  result.drawError = standardError(losses);
  return result;
}

Result<PseudoPerplexity> pseudoPerplexity(EncoderModel& model, const TrainingData& data, const WordTable& words,
                                          std::int64_t samples, const EvaluationProgress& progress) {
  const torch::NoGradGuard noGrad;
  PseudoPerplexity result;
  result.samples = std::min(samples, data.samples.size());
  double nats = 0;
  for (std::int64_t sample = 0; sample < result.samples; ++sample) {
    const std::vector<std::int32_t> sequence = data.samples.tokens(sample);
    RETURN_IF_ERROR(data.samples.intact());
    EvaluationSums sums(model.device());
    for (const MicroBatch& batch :
         hiddenTokens(sequence, words, data.masks, tokensPerPass(model.device()), result.words))
      if (auto tooLarge = sums.add(model, data, batch)) return *tooLarge;
    nats += sums.loss.item<double>();
    result.tokens += sums.predicted;
    progress(sample + 1, result.samples);
  }
  if (result.words == 0) return Error::config("the evaluation text has no word to predict; use more text");
  result.value = std::exp(nats / static_cast<double>(result.words));
  return result;
}

double evaluationMetric(const EvalResult& result, EvalMetric metric) {
  switch (metric) {
    case EvalMetric::Loss: break;
    case EvalMetric::Perplexity: return result.perplexity;
    case EvalMetric::Accuracy: return result.accuracy;
  }
  return result.loss;
}

EvalResult combinedResult(const std::vector<EvaluationSet>& sets, const std::vector<EvalResult>& results) {
  if (sets.size() == 1 && sets.front().name.empty()) return results.front();
  const auto haveAll = [&results](std::optional<double> EvalResult::*figure) {
    return std::ranges::all_of(results, [figure](const EvalResult& one) { return (one.*figure).has_value(); });
  };
  EvalResult all;
  double weights = 0, bitsPerByte = 0, variance = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const EvalResult& one = results[i];
    weights += sets[i].weight;
    all.loss += sets[i].weight * one.loss;
    all.accuracy += sets[i].weight * one.accuracy;
    all.samples += one.samples;
    all.tokens += one.tokens;
    all.predicted += one.predicted;
    all.bytes += one.bytes;
    bitsPerByte += sets[i].weight * one.bitsPerByte.value_or(0);
    variance += std::pow(sets[i].weight * one.drawError.value_or(0), 2);
    all.sets.push_back({sets[i].name, one.loss, one.perplexity, one.accuracy, one.samples, one.tokens, one.bitsPerByte,
                        one.drawError});
  }
  all.loss /= weights;
  all.accuracy /= weights;
  if (haveAll(&EvalResult::bitsPerByte)) all.bitsPerByte = bitsPerByte / weights;
  if (haveAll(&EvalResult::drawError)) all.drawError = std::sqrt(variance) / weights;
  all.perplexity = std::exp(all.loss);
  return all;
}

EvaluateEvery::EvaluateEvery(IntervalSet interval, std::vector<EvaluationSet> sets, const TrainConfig& config,
                             std::vector<std::unique_ptr<TaskProbe>> probes)
    : interval_(std::move(interval)),
      sets_(std::move(sets)),
      probes_(std::move(probes)),
      hasTasks_(!config.tasks.empty()),
      bestMetric_(config.checkpoint.bestMetric),
      startsFromFolder_(!config.model.initFrom.empty() || !config.model.tileFrom.empty()) {
  for (const EvaluationSet& set : sets_)
    evaluations_.emplace_back(set.data, config.eval.microbatchSize, config.eval.draws);
}

Result<void> EvaluateEvery::atStart(TrainLoop& loop) {
  if (!startsFromFolder_ || loop.state().now.step > 0) return {};
  ASSIGN_OR_RETURN(const auto result, evaluate(loop));
  loop.publish(result);
  return {};
}

Result<void> EvaluateEvery::afterBatch(TrainLoop& loop, const Timestamp& before) {
  const Timestamp& now = loop.state().now;
  const bool isScheduled = loop.plan().finished(now) || interval_.anyDue(before, now, false);
  if (!isScheduled && !loop.planFinished()) return {};
  RETURN_IF_ERROR(loop.flushReadback());
  if (loop.isRollingBack()) return {};
  ASSIGN_OR_RETURN(const auto result, evaluate(loop));
  loop.state().metric = evaluationMetric(result, bestMetric_);
  loop.publish(result);
  if (!isScheduled) return {};  // launch.stop_at: whatever it decided would differ in a run that goes on
  return loop.notifyEvaluation(result);
}

Result<EvalResult> EvaluateEvery::evaluate(TrainLoop& loop) {
  loop.enter(RunSection::Evaluation);
  const double began = loop.clock().monotonicSec();
  const auto freeMemory = [&] {
    const bool cleared = loop.freeDeviceMemory();
    loop.enter(RunSection::Evaluation);
    return cleared;
  };
  std::vector<EvalResult> results;
  const auto publish = [&loop](const RunEvent& event) { loop.publish(event); };
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const std::string& name = sets_[i].name;
    const auto progress = publishedProgress(
        publish, loop.clock(), name.empty() ? "evaluating" : formatText("evaluating on {}", name), "samples");
    ASSIGN_OR_RETURN(auto result, evaluations_[i].run(loop.replica().model, loop.ranks(), progress, freeMemory));
    results.push_back(std::move(result));
  }
  EvalResult all = combinedResult(sets_, results);
  if (hasTasks_) {
    ASSIGN_OR_RETURN(all.tasks, probeTasks(loop));
  }
  all.at = loop.state().now;
  all.seconds = loop.clock().monotonicSec() - began;
  return all;
}

Result<std::vector<TaskResult>> EvaluateEvery::probeTasks(TrainLoop& loop) {
  loop.suspend();
  std::vector<TaskResult> found;
  const auto stopped = [&loop] { return loop.abortRequested(); };
  for (const auto& probe : probes_) {
    const TaskConfig& task = probe->data().task;
    const auto progress = publishedProgress([&loop](const RunEvent& event) { loop.publish(event); }, loop.clock(),
                                            formatText("probing {}", task.name), "texts");
    const auto result = probed(*probe, loop.replica().model, progress, stopped);
    if (stopped()) break;
    if (result.ok())
      found.push_back({task.name + "." + std::string(choiceName(metricOf(task))), result->parts.front().value});
    else
      loop.note(NoteLevel::Warning, formatText("task {} was not scored: {}", task.name, result.error().text()));
  }
  RETURN_IF_ERROR(loop.ranks().barrier());
  loop.enter(RunSection::Evaluation);
  return found;
}

}  // namespace batchwise
