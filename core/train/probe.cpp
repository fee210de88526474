// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/probe.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "core/analysis/metrics.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/config/task_config.h"
#include "core/model/device_error.h"
#include "core/train/linear_probe.h"

namespace batchwise {
namespace {

constexpr std::size_t kMostLearned = 50'000;  // rows of the training part; more add little and take long

at::Tensor labelsOf(const std::vector<LabelledRow>& rows) {
  std::vector<double> labels;
  for (const LabelledRow& row : rows) labels.push_back(row.label);
  return torch::tensor(labels, torch::kDouble);
}

/// Returns the features of pairs: of both texts, their distance and their product.
at::Tensor paired(const at::Tensor& features) {
  const at::Tensor u = features.slice(0, 0, {}, 2), v = features.slice(0, 1, {}, 2);
  return at::cat({u, v, (u - v).abs(), u * v}, 1);
}

MicroBatch batchOf(std::span<const EncodedText> texts, Pooling pooling) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (const EncodedText& text : texts) {
    const auto start = static_cast<std::int32_t>(batch.tokens());
    batch.tokenIds.insert(batch.tokenIds.end(), text.ids.begin(), text.ids.end());
    const auto end = static_cast<std::int32_t>(batch.tokens());
    if (!text.words.empty()) {
      for (const std::int32_t word : text.words)
        if (word >= 0) batch.predictedPositions.push_back(start + word);
    } else {
      for (std::int32_t at = start; at < (pooling == Pooling::Cls ? start + 1 : end); ++at)
        batch.predictedPositions.push_back(at);
    }
    batch.indicesInStep.push_back(static_cast<std::int32_t>(batch.sequences()));
    batch.sampleIds.push_back(batch.sequences());
    batch.sequenceStarts.push_back(end);
    batch.longest = std::max(batch.longest, end - start);
  }
  batch.labels.assign(batch.predictedPositions.size(), 0);
  return batch;
}

/// Returns rows of `features` and `labels`, at most kMostLearned, drawn by their places.
std::array<at::Tensor, 2> learnedRows(const at::Tensor& features, const at::Tensor& labels) {
  const auto all = static_cast<std::size_t>(features.size(0));
  if (all <= kMostLearned) return {features, labels};
  std::vector<std::int64_t> order(all);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [](std::int64_t row) { return randomBits(1, static_cast<std::uint64_t>(row)); });
  order.resize(kMostLearned);
  const at::Tensor drawn = torch::tensor(order, torch::kInt64);
  return {features.index_select(0, drawn), labels.index_select(0, drawn)};
}

}  // namespace

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
  score.value = scoreOf(choiceName(metricOf(data.task)), score.predictions);
  return score;
}

TaskProbe::TaskProbe(std::shared_ptr<const TaskData> data, const Tokenizer& tokenizer, std::int64_t maxTokens,
                     Pooling pooling)
    : data_(std::move(data)), encoded_(encodeTask(*data_, tokenizer, maxTokens)), pooling_(pooling) {}

/// Returns a row for each text or word.
at::Tensor TaskProbe::pooled(EncoderModel& model, std::span<const EncodedText> texts) const {
  const MicroBatch batch = batchOf(texts, pooling_);
  if (batch.predicted() == 0) return at::zeros({0, model.shape().hiddenSize});
  const at::Tensor rows = model.hidden(toDevice(batch, model.device()));
  if (pooling_ == Pooling::Cls || data_->task.kind == TaskKind::TokenLabels) return rows.to(at::kCPU);
  std::vector<at::Tensor> means;
  for (std::size_t i = 0; i < texts.size(); ++i)
    means.push_back(rows.slice(0, batch.sequenceStarts[i], batch.sequenceStarts[i + 1]).mean(0));
  return at::stack(means).to(at::kCPU);
}

Result<at::Tensor> TaskProbe::featuresOf(EncoderModel& model, const std::vector<EncodedText>& texts,
                                         const std::function<bool(std::size_t)>& report) {
  std::vector<at::Tensor> found;
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin + 1;
    for (std::int64_t tokens = std::ssize(texts[begin].ids); end < texts.size(); ++end) {
      tokens += std::ssize(texts[end].ids);
      if (tokens > tokensPerPass_) break;
    }
    try {
      found.push_back(pooled(model, std::span(texts).subspan(begin, end - begin)));
    } catch (const std::exception& e) {
      if (!isOutOfMemory(e)) throw;
      if (end == begin + 1) return caughtError("the probe of a task, one text at a time");
      tokensPerPass_ /= 2;
      continue;
    }
    if (!report(end - begin)) return Error{ErrorCode::Stopped, "stopped while a task was probed", {}};
    begin = end;
  }
  const at::Tensor all = at::cat(found);
  if (!at::isfinite(all).all().item<bool>())
    return Error{
        ErrorCode::NonFinite,
        "the model gives no numbers (NaN): its weights are not finite, or so large that they overflow, because "
        "the run diverged; use an earlier checkpoint",
        {}};
  return all;
}

Result<ProbeResult> TaskProbe::run(EncoderModel& model, const ProbeProgress& progress, const std::stop_token& stop) {
  const torch::NoGradGuard noGrad;
  if (tokensPerPass_ == 0) tokensPerPass_ = model.device().is_cuda() ? 65536 : 8192;
  std::size_t done = 0, total = 0;
  for (const auto& texts : encoded_.parts) total += texts.size();
  const auto report = [&](std::size_t more) {
    done += more;
    progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(total));
    return !stop.stop_requested();
  };
  features_.clear();
  for (const auto& texts : encoded_.parts) {
    ASSIGN_OR_RETURN(auto found, featuresOf(model, texts, report));
    features_.push_back(data_->task.kind == TaskKind::Pair ? paired(found) : std::move(found));
  }
  if (data_->task.kind == TaskKind::Retrieval) return retrieved();
  return learned(stop);
}

Result<ProbeResult> TaskProbe::learned(const std::stop_token& stop) const {
  const bool words = data_->task.kind == TaskKind::TokenLabels;
  const auto rowsOfPart = [&](std::size_t part) {
    return labelledRows(data_->parts[part], encoded_.parts[part], words);
  };
  const auto classes = std::ssize(data_->classes);
  const auto [features, labels] = learnedRows(features_.front(), labelsOf(rowsOfPart(0)));
  ASSIGN_OR_RETURN(const auto probe, classes == 0 ? fitRegression(features, labels, stop)
                                                  : fitClassifier(features, labels.to(at::kLong), classes, stop));
  ProbeResult result;
  result.penalty = probe.penalty;
  for (std::size_t part = 1; part < data_->parts.size(); ++part)
    result.parts.push_back(scoredPart(*data_, data_->parts[part], rowsOfPart(part), probe.outputs(features_[part])));
  return result;
}

ProbeResult TaskProbe::retrieved() const {
  constexpr std::int64_t kRanked = 10;
  const auto normalized = [](const at::Tensor& rows) {
    const at::Tensor exact = rows.to(at::kDouble);
    return exact / exact.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
  };
  const at::Tensor queries = normalized(features_[0]), documents = normalized(features_[1]);
  std::vector<std::vector<RelevantPair>> relevant(data_->parts.front().examples.size());
  for (const RelevantPair& pair : data_->pairs) relevant[static_cast<std::size_t>(pair.query)].push_back(pair);
  ProbeResult result;
  PartScore score{"test", 0, {}};
  for (std::size_t query = 0; query < relevant.size(); ++query) {
    if (relevant[query].empty()) continue;
    const at::Tensor cosines = documents.mv(queries[static_cast<std::int64_t>(query)]);
    const at::Tensor best = std::get<1>(cosines.topk(std::min(kRanked, documents.size(0))));
    std::vector<double> ranked, all;
    for (const RelevantPair& pair : relevant[query]) all.push_back(pair.gain);
    for (std::int64_t i = 0; i < best.size(0); ++i) {
      const auto found = std::ranges::find(relevant[query], best[i].item<std::int64_t>(), &RelevantPair::document);
      ranked.push_back(found == relevant[query].end() ? 0.0 : found->gain);
    }
    score.predictions.push_back({static_cast<std::int64_t>(query), std::to_string(relevant[query].front().document),
                                 std::to_string(best[0].item<std::int64_t>()), ndcgAt10(ranked, all)});
  }
  score.value = scoreOf(choiceName(metricOf(data_->task)), score.predictions);
  result.parts.push_back(std::move(score));
  return result;
}

Result<void> TaskProbe::writeFeatures(const std::filesystem::path& folder) const {
  RETURN_IF_ERROR(makeFolders(folder));
  for (std::size_t part = 0; part < features_.size(); ++part) {
    const at::Tensor rows = features_[part].to(at::kFloat).contiguous();
    // Format 1.0 of numpy.lib.format: magic, length of the header, header up to a multiple of 64 bytes, values.
    std::string header =
        formatText("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows.size(0), rows.size(1));
    header.append(63 - (10 + header.size()) % 64, ' ') += '\n';
    header.insert(header.begin(),
                  {'\x93', 'N', 'U', 'M', 'P', 'Y', '\1', '\0', static_cast<char>(header.size()), '\0'});
    header.append(reinterpret_cast<const char*>(rows.const_data_ptr<float>()), rows.nbytes());
    RETURN_IF_ERROR(writeFileAtomically(folder / (data_->parts[part].name + ".npy"), header));
  }
  return {};
}

}  // namespace batchwise
