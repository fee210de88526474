// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/probe.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

#include "core/analysis/metrics.h"
#include "core/base/format.h"
#include "core/base/random.h"
#include "core/base/result.h"
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

/// `firstIndexInStep`: of the first sequence.
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

/// Returns the first of `chosen` that have at most `tokens` tokens, or one.
std::span<const std::int64_t> firstPass(const std::vector<TaskSample>& samples, std::span<const std::int64_t> chosen,
                                        std::int64_t tokens) {
  std::size_t count = 0;
  for (; count < chosen.size(); ++count) {
    tokens -= std::ssize(samples[static_cast<std::size_t>(chosen[count])].ids);
    if (tokens < 0 && count > 0) break;
  }
  return chosen.first(count);
}

constexpr std::array kPenalties = {1e4, 1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2};  // strongest first: each starts the next
constexpr std::int64_t kFolds = 5;
constexpr std::int64_t kMostRotated = 1536;  // columns; more take longer to decompose than to do without
// Largest gradient of the mean loss: in a fold, at the end, and where rounding may hide the rest.
constexpr double kRough = 1e-4, kTight = 1e-7, kHidden = 1e-5;

/// Returns the rows with a column of ones, fp64.
at::Tensor withOnes(const at::Tensor& rows) {
  return at::cat({rows, at::ones({rows.size(0), 1}, rows.options())}, 1);
}

at::Tensor standardized(const at::Tensor& features, const LinearProbe& probe) {
  return (features.to(at::kDouble) - probe.mean) / probe.scale;
}

LinearProbe scalingOf(const at::Tensor& features) {
  const at::Tensor all = features.to(at::kDouble);
  LinearProbe probe;
  probe.mean = all.mean(0);
  probe.scale = all.std(0, /*unbiased=*/false);
  probe.scale.masked_fill_(probe.scale < 1e-12, 1.0);
  return probe;
}

/// A regression over `x`: [rows, width + 1].
class Logistic {
 public:
  Logistic(const at::Tensor& x, const at::Tensor& labels, std::int64_t classes, const StopCheck& stop)
      : x_(x), labels_(labels), classes_(classes), stop_(stop), squares_(x.square().sum(0).unsqueeze(1)) {}

  /// Minimizes from `weights`, [width + 1, classes]. Returns whether it converged.
  bool solve(at::Tensor& weights, double penalty, double tolerance) const {
    constexpr int kMostRounds = 50;  // of 20 steps
    const auto classes = static_cast<double>(classes_), rows = static_cast<double>(x_.size(0));
    // Weights of two classes are opposite, half the difference each, so that their squares count half as much.
    at::Tensor ridge = at::full({x_.size(1), 1}, classes_ == 2 ? 2 * penalty : penalty, x_.options());
    ridge[-1].zero_();
    // In units of these the second derivatives are about 1: they are those where all classes are equally likely, exact
    // where the columns are orthogonal.
    const at::Tensor unit = (squares_ * ((1 - 1 / classes) / classes) + ridge).clamp_min(1e-12).rsqrt();
    at::Tensor scaled = weights / unit;
    torch::optim::LBFGSOptions options(1);
    options.max_iter(20).history_size(10).tolerance_grad(0).tolerance_change(1e-12).line_search_fn("strong_wolfe");
    torch::optim::LBFGS optimizer({scaled}, options);
    double slope = 0;  // the largest, of the mean loss
    const auto valueAt = [&]() -> at::Tensor {
      weights = scaled * unit;
      const at::Tensor logs = at::log_softmax(x_.mm(weights), 1), pull = ridge * weights;
      const at::Tensor gradient = x_.t().mm(logs.exp() - at::one_hot(labels_, classes_)) + pull;
      slope = gradient.abs().max().item<double>() / rows;
      scaled.mutable_grad() = gradient * unit;
      return 0.5 * (pull * weights).sum() - logs.gather(1, labels_.unsqueeze(1)).sum();
    };
    for (int round = 0; round < kMostRounds && !stop_(); ++round) {
      const at::Tensor before = scaled.clone();
      optimizer.step(valueAt);
      const torch::NoGradGuard noGrad;
      valueAt();
      if (slope <= tolerance || scaled.equal(before)) break;
    }
    return slope <= std::max(tolerance, kHidden);
  }

  double meanLoss(const at::Tensor& weights) const {
    return at::nll_loss(at::log_softmax(x_.mm(weights), 1), labels_).item<double>();
  }

 private:
  at::Tensor x_, labels_;
  std::int64_t classes_;
  const StopCheck& stop_;
  at::Tensor squares_;
};

struct Fold {
  at::Tensor rest, held;  // rows
};

std::vector<Fold> foldsOf(const at::Tensor& groups) {
  const auto [known, group, counts] = at::_unique2(groups, /*sorted=*/true, /*return_inverse=*/true);
  std::vector<std::int64_t> order(static_cast<std::size_t>(known.size(0)));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [](std::int64_t at) { return randomBits(0, static_cast<std::uint64_t>(at)); });
  const at::Tensor place = torch::tensor(order, torch::kInt64).argsort();
  const at::Tensor fold = place.remainder(kFolds).index_select(0, group);
  std::vector<Fold> folds;
  for (std::int64_t i = 0; i < std::min(kFolds, known.size(0)); ++i)
    folds.push_back({(fold != i).nonzero().squeeze(1), (fold == i).nonzero().squeeze(1)});
  return folds;
}

Error stoppedFitting() {
  return Error{ErrorCode::Stopped, "stopped while a probe was fitted", {}};
}

/// Chooses the penalty with the smallest sum over the folds of `lossesOf(fold)`, which has a loss for each penalty.
Result<void> choosePenalty(LinearProbe& probe, const at::Tensor& groups, const StopCheck& stop,
                           const std::function<std::vector<double>(const Fold&)>& lossesOf) {
  std::vector<double> sums(kPenalties.size(), 0.0);
  for (const Fold& fold : foldsOf(groups)) {
    const std::vector<double> losses = lossesOf(fold);
    if (stop()) return stoppedFitting();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += losses[i];
  }
  probe.penalty = kPenalties[static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin())];
  if (probe.penalty == kPenalties.front() || probe.penalty == kPenalties.back())
    probe.notes.push_back(formatText("the penalty of the probe is {}, the {} that is tried", probe.penalty,
                                     probe.penalty == kPenalties.front() ? "largest" : "smallest"));
  return {};
}

}  // namespace

void TaskSample::addWords(const TaskExample& example, const EncodedText& text) {
  for (std::size_t word = 0; word < example.labels.size(); ++word) {
    if (text.words[word] < 0) continue;
    places.push_back(text.words[word]);
    rows.push_back({example.number + static_cast<std::int64_t>(word), example.labels[word]});
  }
}

Result<void> inPasses(const std::vector<TaskSample>& samples, std::span<const std::int64_t> chosen,
                      std::int64_t& tokens, const char* what, const std::function<void()>& begin,
                      const std::function<Result<void>(const MicroBatch&, std::span<const std::int64_t>)>& take) {
  std::span<const std::int64_t> pass;
  while (true) try {
      begin();
      for (std::size_t first = 0; first < chosen.size(); first += pass.size()) {
        pass = firstPass(samples, chosen.subspan(first), tokens);
        RETURN_IF_ERROR(take(batchOf(samples, pass, static_cast<std::int64_t>(first)), pass));
      }
      return {};
    } catch (const std::exception& e) {
      if (!isOutOfMemory(e)) throw;
      if (pass.size() <= 1) return caughtError(what);
      tokens /= 2;
    }
}

PartScore scoredPart(const TaskData& data, const std::string& part, const std::vector<TaskSample>& samples,
                     const at::Tensor& outputs) {
  PartScore score{part, 0, {}};
  const at::Tensor said = data.classes.empty() ? outputs.squeeze(1) : outputs.argmax(1).to(at::kDouble);
  const double* values = said.const_data_ptr<double>();
  for (const TaskSample& sample : samples)
    for (const LabelledRow& row : sample.rows) {
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
  const auto each = static_cast<std::size_t>(textsOfExample(*data_));
  EncodedTask encoded = encodeTask(*data_, tokenizer, maxTokens);
  notes_ = std::move(encoded.notes);
  for (std::size_t part = 0; part < encoded.parts.size(); ++part) {
    std::vector<TaskSample>& samples = parts_.emplace_back();
    for (EncodedText& text : encoded.parts[part]) {
      const TaskExample& example = data_->parts[part].examples[samples.size() / each];
      const bool isFirst = samples.size() % each == 0;
      TaskSample& sample = samples.emplace_back();
      if (data_->task.kind == TaskKind::TokenLabels) {
        sample.addWords(example, text);
      } else {
        sample.places.resize(pooling_ == Pooling::Cls ? 1 : text.ids.size());
        std::iota(sample.places.begin(), sample.places.end(), 0);
        if (isFirst && !example.labels.empty()) sample.rows.push_back({example.number, example.labels.front()});
      }
      sample.ids = std::move(text.ids);
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
  std::size_t done = 0;
  const auto begin = [&] {
    found.clear();
    done = 0;
  };
  RETURN_IF_ERROR(inPasses(parts_[part], texts, tokensPerPass_, "the probe of a task, one text at a time", begin,
                           [&](const MicroBatch& batch, std::span<const std::int64_t> pass) {
                             found.push_back(pooled(model, batch));
                             return report(done += pass.size());
                           }));
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
    rows -= std::ssize(samples[static_cast<std::size_t>(examples[count] * each)].rows);
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
  std::size_t before = 0, total = 0;  // before: texts of the parts that are done
  for (const auto& of : texts) total += of.size();
  const auto report = [&](std::size_t done) -> Result<void> {
    progress(static_cast<std::int64_t>(before + done), static_cast<std::int64_t>(total));
    if (stop()) return Error{ErrorCode::Stopped, "stopped while a task was probed", {}};
    return {};
  };
  const auto featuresIn = [&](std::size_t part) {
    auto found = featuresOf(model, part, texts[part], report);
    before += texts[part].size();
    return found;
  };
  ASSIGN_OR_RETURN(const auto features, featuresIn(0));
  if (isRetrieval) {
    ASSIGN_OR_RETURN(const auto documents, featuresIn(1));
    return retrieved(features, documents);
  }
  std::vector<double> labels;
  std::vector<std::int64_t> groups;
  for (const std::int64_t text : texts.front())
    for (const LabelledRow& row : parts_.front()[static_cast<std::size_t>(text)].rows) {
      labels.push_back(row.label);
      groups.push_back(text);
    }
  const at::Tensor wanted = torch::tensor(labels, torch::kDouble), together = torch::tensor(groups, torch::kInt64);
  const auto classes = std::ssize(data_->classes);
  ASSIGN_OR_RETURN(const auto probe, classes == 0
                                         ? fitRegression(features, wanted, together, stop)
                                         : fitClassifier(features, wanted.to(at::kLong), together, classes, stop));
  ProbeResult result{{}, probe.notes};
  for (std::size_t part = 1; part < parts_.size(); ++part) {
    ASSIGN_OR_RETURN(const auto held, featuresIn(part));
    result.parts.push_back(scoredPart(*data_, data_->parts[part].name, parts_[part], probe.outputs(held)));
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

at::Tensor LinearProbe::outputs(const at::Tensor& features) const {
  return withOnes(standardized(features, *this)).mm(weights);
}

Result<LinearProbe> fitClassifier(const at::Tensor& features, const at::Tensor& labels, const at::Tensor& groups,
                                  std::int64_t classes, const StopCheck& stop) {
  LinearProbe probe = scalingOf(features);
  at::Tensor x = standardized(features, probe);
  // Along the principal axes the columns are orthogonal, which changes no solution, only how fast it is found.
  at::Tensor axes = at::eye(x.size(1), x.options());
  if (x.size(1) <= kMostRotated) axes = std::get<1>(at::linalg_eigh(x.t().mm(x)));
  x = withOnes(x.mm(axes));
  at::Tensor weights = at::zeros({x.size(1), classes}, x.options());
  RETURN_IF_ERROR(choosePenalty(probe, groups, stop, [&](const Fold& fold) {
    const Logistic learned(x.index_select(0, fold.rest), labels.index_select(0, fold.rest), classes, stop);
    const Logistic held(x.index_select(0, fold.held), labels.index_select(0, fold.held), classes, stop);
    std::vector<double> losses;
    at::Tensor found = at::zeros_like(weights);
    for (const double penalty : kPenalties) {
      learned.solve(found, penalty, kRough);
      losses.push_back(held.meanLoss(found));
    }
    return losses;
  }));
  if (!Logistic(x, labels, classes, stop).solve(weights, probe.penalty, kTight))
    probe.notes.emplace_back("the regression of the probe has not converged: its score may be too low");
  if (stop()) return stoppedFitting();
  probe.weights = at::cat({axes.mm(weights.slice(0, 0, -1)), weights.slice(0, -1)}, 0);
  return probe;
}

Result<LinearProbe> fitRegression(const at::Tensor& features, const at::Tensor& numbers, const at::Tensor& groups,
                                  const StopCheck& stop) {
  LinearProbe probe = scalingOf(features);
  const at::Tensor x = withOnes(standardized(features, probe));
  const at::Tensor y = numbers.to(at::kDouble).unsqueeze(1);
  const auto solve = [](const at::Tensor& gram, const at::Tensor& products, double penalty) {
    at::Tensor ridge = at::full({gram.size(0)}, penalty, gram.options());
    ridge[-1].zero_();
    return at::linalg_solve(gram + at::diag(ridge), products);
  };
  const at::Tensor gram = x.t().mm(x), products = x.t().mm(y);
  RETURN_IF_ERROR(choosePenalty(probe, groups, stop, [&](const Fold& fold) {
    const at::Tensor held = x.index_select(0, fold.held), wanted = y.index_select(0, fold.held);
    const at::Tensor restGram = gram - held.t().mm(held), restProducts = products - held.t().mm(wanted);
    std::vector<double> losses;
    for (const double penalty : kPenalties)
      losses.push_back((held.mm(solve(restGram, restProducts, penalty)) - wanted).square().sum().item<double>());
    return losses;
  }));
  probe.weights = solve(gram, products, probe.penalty);
  return probe;
}

}  // namespace batchwise
