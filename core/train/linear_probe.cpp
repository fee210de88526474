// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/linear_probe.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include "core/base/format.h"
#include "core/base/random.h"
#include "core/base/result.h"

namespace batchwise {
namespace {

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
