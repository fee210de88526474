// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/probe.h"

#include <torch/torch.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "core/analysis/metrics.h"
#include "core/base/format.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/config/task_config.h"
#include "core/model/device_error.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMostRows = 50'000;             // that are learned; more add little and take long
constexpr std::int64_t kMostValues = kMostRows * 768;  // of their features, of which a few copies are kept

/// Returns the features of pairs: of both texts, their distance and their product.
at::Tensor paired(const at::Tensor& features) {
  const at::Tensor u = features.slice(0, 0, {}, 2), v = features.slice(0, 1, {}, 2);
  return at::cat({u, v, (u - v).abs(), u * v}, 1);
}

std::int64_t textsOfExample(const TaskData& data) {
  return data.task.kind == TaskKind::Pair ? 2 : 1;
}

std::vector<std::int64_t> numbersTo(std::size_t count) {
  std::vector<std::int64_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

MicroBatch batchOf(const std::vector<TaskSample>& samples, std::span<const std::int64_t> chosen,
                   std::int64_t firstIndexInStep) {
  MicroBatch batch;
  batch.firstIndexInStep = firstIndexInStep;
  batch.sequenceStarts.push_back(0);
  for (const std::int64_t id : chosen) {
    const TaskSample& sample = samples[static_cast<std::size_t>(id)];
    const auto start = static_cast<std::int32_t>(batch.tokens()), length = static_cast<std::int32_t>(sample.ids.size());
    for (const std::int32_t place : sample.places) batch.predictedPositions.push_back(start + place);
    batch.tokenIds.insert(batch.tokenIds.end(), sample.ids.begin(), sample.ids.end());
    for (std::int32_t i = 0; sample.firstLength > 0 && i < length; ++i)
      batch.segmentTypes.push_back(i < sample.firstLength ? 0 : 1);
    batch.indicesInStep.push_back(static_cast<std::int32_t>(firstIndexInStep + batch.sequences()));
    batch.sampleIds.push_back(id);
    batch.sequenceStarts.push_back(start + length);
    batch.longest = std::max(batch.longest, length);
  }
  batch.labels.assign(batch.predictedPositions.size(), 0);
  return batch;
}

std::span<const std::int64_t> firstPass(const std::vector<TaskSample>& samples, std::span<const std::int64_t> chosen,
                                        std::int64_t tokens) {
  std::size_t count = 0;
  for (; count < chosen.size(); ++count) {
    tokens -= std::ssize(samples[static_cast<std::size_t>(chosen[count])].ids);
    if (tokens < 0 && count > 0) break;
  }
  return chosen.first(count);
}

std::vector<LabelledRow> labelledRows(const TaskPart& part, const std::vector<EncodedText>& texts, bool words) {
  std::vector<LabelledRow> rows;
  for (std::size_t i = 0; i < part.examples.size(); ++i) {
    const TaskExample& example = part.examples[i];
    if (!words) rows.push_back({example.number, example.labels.empty() ? 0.0 : example.labels.front()});
    for (std::size_t word = 0; words && word < example.labels.size(); ++word)
      if (texts[i].words[word] >= 0)
        rows.push_back({example.number + static_cast<std::int64_t>(word), example.labels[word]});
  }
  return rows;
}

PartScore scoredPart(const TaskData& data, const TaskPart& part, const std::vector<LabelledRow>& rows,
                     const at::Tensor& outputs) {
  PartScore score{part.name, 0, {}};
  const at::Tensor said = data.classes.empty() ? outputs.squeeze(1) : outputs.argmax(1).to(at::kDouble);
  const double* values = said.const_data_ptr<double>();
  for (const LabelledRow& row : rows) {
    const double value = *values++;
    if (data.classes.empty())
      score.predictions.push_back(
          {row.number, formatExact(row.label), formatExact(value), -(value - row.label) * (value - row.label)});
    else
      score.predictions.push_back({row.number, data.classes[static_cast<std::size_t>(row.label)],
                                   data.classes[static_cast<std::size_t>(value)], value == row.label ? 1.0 : 0.0});
  }
  score.value = scoreOf(scoreMetric(data), score.predictions);
  return score;
}

TaskProbe::TaskProbe(std::shared_ptr<const TaskData> data, const Tokenizer& tokenizer, std::int64_t maxTokens,
                     Pooling pooling)
    : data_(std::move(data)), pooling_(pooling) {
  const bool words = data_->task.kind == TaskKind::TokenLabels;
  EncodedTask encoded = encodeTask(*data_, tokenizer, maxTokens);
  notes_ = std::move(encoded.notes);
  for (std::size_t part = 0; part < encoded.parts.size(); ++part) {
    rows_.push_back(labelledRows(data_->parts[part], encoded.parts[part], words));
    std::vector<TaskSample>& samples = parts_.emplace_back();
    auto row = rows_.back().begin();
    for (EncodedText& text : encoded.parts[part]) {
      TaskSample& sample = samples.emplace_back();
      std::ranges::copy_if(text.words, std::back_inserter(sample.places), [](std::int32_t word) { return word >= 0; });
      if (!words) sample.places.resize(pooling_ == Pooling::Cls ? 1 : text.ids.size());
      if (!words) std::iota(sample.places.begin(), sample.places.end(), 0);
      sample.ids = std::move(text.ids);
      const bool isFirst = std::ssize(samples) % textsOfExample(*data_) == 1 % textsOfExample(*data_);
      for (std::size_t i = 0; isFirst && i < (words ? sample.places.size() : 1); ++i)
        sample.labels.push_back(row++->label);
    }
  }
}

/// Returns a row for each text or word.
at::Tensor TaskProbe::pooled(EncoderModel& model, const MicroBatch& batch) const {
  if (batch.predicted() == 0) return at::zeros({0, model.shape().hiddenSize});
  const DeviceBatch device = toDevice(batch, model.device());
  const at::Tensor rows = model.hidden(device);
  if (pooling_ == Pooling::Cls || data_->task.kind == TaskKind::TokenLabels) return rows.to(at::kCPU);
  return meanOfSequences(rows, device).to(at::kCPU);
}

Result<at::Tensor> TaskProbe::featuresOf(EncoderModel& model, std::size_t part, std::span<const std::int64_t> texts,
                                         const Report& report) {
  std::vector<at::Tensor> found;
  while (!texts.empty()) {
    const auto pass = firstPass(parts_[part], texts, tokensPerPass_);
    try {
      found.push_back(pooled(model, batchOf(parts_[part], pass)));
    } catch (const std::exception& e) {
      if (!isOutOfMemory(e)) throw;
      if (pass.size() == 1) return caughtError("the probe of a task, one text at a time");
      tokensPerPass_ /= 2;
      continue;
    }
    RETURN_IF_ERROR(report(pass.size()));
    texts = texts.subspan(pass.size());
  }
  const at::Tensor all = at::cat(found);
  if (!at::isfinite(all).all().item<bool>())
    return Error{
        ErrorCode::NonFinite,
        "the model gives no numbers (NaN): its weights are not finite, or so large that they overflow, because "
        "the run diverged; use an earlier checkpoint",
        {}};
  return data_->task.kind == TaskKind::Pair ? paired(all) : all;
}

/// Returns the texts of the training part that are learned: of too many, examples drawn by their numbers.
std::vector<std::int64_t> TaskProbe::learnedTexts(std::int64_t width) const {
  const std::vector<TaskSample>& samples = parts_.front();
  const std::int64_t each = textsOfExample(*data_);
  std::vector<std::int64_t> examples = numbersTo(samples.size() / static_cast<std::size_t>(each));
  std::ranges::sort(examples, {}, [](std::int64_t at) { return randomBits(1, static_cast<std::uint64_t>(at)); });
  std::size_t count = 0;
  for (std::int64_t rows = std::min(kMostRows, kMostValues / width); rows > 0 && count < examples.size(); ++count)
    rows -= std::ssize(samples[static_cast<std::size_t>(examples[count] * each)].labels);
  examples.resize(count);
  std::ranges::sort(examples);
  std::vector<std::int64_t> texts;
  for (const std::int64_t example : examples)
    for (std::int64_t i = 0; i < each; ++i) texts.push_back(example * each + i);
  return texts;
}

Result<ProbeResult> TaskProbe::run(EncoderModel& model, const ProbeProgress& progress, const StopCheck& stop) {
  const torch::NoGradGuard noGrad;
  if (tokensPerPass_ == 0) tokensPerPass_ = model.device().is_cuda() ? 65536 : 8192;
  const bool isRetrieval = data_->task.kind == TaskKind::Retrieval;
  std::vector<std::vector<std::int64_t>> texts;
  for (const auto& samples : parts_) texts.push_back(numbersTo(samples.size()));
  if (!isRetrieval) texts.front() = learnedTexts(model.shape().hiddenSize * (textsOfExample(*data_) == 2 ? 4 : 1));
  std::size_t done = 0, total = 0;
  for (const auto& of : texts) total += of.size();
  const auto report = [&](std::size_t more) -> Result<void> {
    done += more;
    progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
    if (stop()) return Error{ErrorCode::Stopped, "stopped while a task was probed", {}};
    return {};
  };
  ASSIGN_OR_RETURN(const auto features, featuresOf(model, 0, texts.front(), report));
  if (isRetrieval) {
    ASSIGN_OR_RETURN(const auto documents, featuresOf(model, 1, texts.back(), report));
    return retrieved(features, documents);
  }
  std::vector<double> labels;
  std::vector<std::int64_t> groups;
  for (const std::int64_t text : texts.front())
    for (const double label : parts_.front()[static_cast<std::size_t>(text)].labels) {
      labels.push_back(label);
      groups.push_back(text);
    }
  const at::Tensor wanted = torch::tensor(labels, torch::kDouble), together = torch::tensor(groups, torch::kInt64);
  const auto classes = std::ssize(data_->classes);
  ASSIGN_OR_RETURN(const auto probe, classes == 0
                                         ? fitRegression(features, wanted, together, stop)
                                         : fitClassifier(features, wanted.to(at::kLong), together, classes, stop));
  ProbeResult result{{}, probe.notes};
  for (std::size_t part = 1; part < parts_.size(); ++part) {
    ASSIGN_OR_RETURN(const auto held, featuresOf(model, part, texts[part], report));
    result.parts.push_back(scoredPart(*data_, data_->parts[part], rows_[part], probe.outputs(held)));
  }
  return result;
}

ProbeResult TaskProbe::retrieved(const at::Tensor& queries, const at::Tensor& documents) const {
  constexpr std::int64_t kRanked = 10, kCosinesAtOnce = std::int64_t{1} << 24;
  const auto normalized = [](const at::Tensor& rows) {
    const at::Tensor exact = rows.to(at::kDouble);
    return exact / exact.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
  };
  const at::Tensor turned = normalized(documents).t();
  std::vector<at::Tensor> blocks;
  for (const at::Tensor& block : normalized(queries).split(std::max<std::int64_t>(1, kCosinesAtOnce / turned.size(1))))
    blocks.push_back(std::get<1>(block.mm(turned).topk(std::min(kRanked, turned.size(1)))));
  const at::Tensor best = at::cat(blocks);
  const auto places = best.accessor<std::int64_t, 2>();
  std::vector<std::vector<RelevantPair>> relevant(data_->parts.front().examples.size());
  for (const RelevantPair& pair : data_->pairs) relevant[static_cast<std::size_t>(pair.query)].push_back(pair);
  PartScore score{"test", 0, {}};
  for (std::int64_t query = 0; query < best.size(0); ++query) {
    const std::vector<RelevantPair>& own = relevant[static_cast<std::size_t>(query)];
    if (own.empty()) continue;
    std::vector<double> ranked, all;
    for (const RelevantPair& pair : own) all.push_back(pair.gain);
    for (std::int64_t rank = 0; rank < best.size(1); ++rank) {
      const auto found = std::ranges::find(own, places[query][rank], &RelevantPair::document);
      ranked.push_back(found == own.end() ? 0.0 : found->gain);
    }
    score.predictions.push_back(
        {query, std::to_string(own.front().document), std::to_string(places[query][0]), ndcgAt10(ranked, all)});
  }
  score.value = scoreOf(scoreMetric(*data_), score.predictions);
  return {{std::move(score)}, {}};
}

}  // namespace batchwise
