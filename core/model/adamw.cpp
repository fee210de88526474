// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/adamw.h"

#include <torch/torch.h>

#include <cmath>
#include <utility>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr const char* kFirstMoment = "exp_avg/";
constexpr const char* kSecondMoment = "exp_avg_sq/";
constexpr const char* kBeta2Log = "beta2_log";
constexpr double kFirstLossScale = 65536.0;
constexpr double kLossScaleGrowth = 2.0;
constexpr double kLossScaleBackoff = 0.5;
constexpr std::int64_t kStepsToGrow = 2000;

// Bound the memory of intermediate results, and the error of a sum in fp32.
constexpr std::int64_t kListElements = std::int64_t{1} << 22;
constexpr std::int64_t kPieceElements = std::int64_t{1} << 16;

/// Parts of gradients with their second moments, as flat views.
struct Pieces {
  std::vector<at::Tensor> gradients, expAvgSqs;
};

/// Splits the tensors of a group into pieces, in order, in lists of about kListElements elements.
std::vector<Pieces> piecesOf(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& expAvgSqs) {
  std::vector<Pieces> lists;
  std::int64_t elements = kListElements;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::vector<at::Tensor> gradients = parameters[i].grad().view(-1).split(kPieceElements);
    const std::vector<at::Tensor> moments = expAvgSqs[i].view(-1).split(kPieceElements);
    for (std::size_t piece = 0; piece < gradients.size(); ++piece) {
      if (elements >= kListElements) {
        lists.emplace_back();
        elements = 0;
      }
      elements += gradients[piece].numel();
      lists.back().gradients.push_back(gradients[piece]);
      lists.back().expAvgSqs.push_back(moments[piece]);
    }
  }
  return lists;
}

std::int64_t piecesIn(const at::Tensor& tensor) {
  return (tensor.numel() + kPieceElements - 1) / kPieceElements;
}

/// Global norm of the tensors: [], fp32, on their device. Deterministic.
at::Tensor globalNorm(const std::vector<at::Tensor>& tensors) {
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(tensors, 2.0)));
}

}  // namespace

AdamWOptions AdamWOptions::of(const OptimizerConfig& config) {
  AdamWOptions options;
  options.beta1 = config.betas.at(0);
  options.beta2 = config.betas.at(1);
  options.eps = config.eps;
  options.weightDecay = config.weightDecay;
  if (config.decoupleLr) options.weightDecay = config.lr > 0.0 ? config.weightDecay / config.lr : 0.0;
  options.clipsUpdates = config.name == OptimizerName::StableAdamW;
  options.gradClipNorm = config.gradClipNorm;
  options.beta2Varies = config.beta2HalfLife.has_value();
  return options;
}

void AdamW::setWeightDecay(const OptimizerConfig& config) {
  groups_[0].weightDecay = AdamWOptions::of(config).weightDecay;
}

AdamW::AdamW(const std::vector<NamedTensor>& parameters, AdamWOptions options)
    : options_(options), parameters_(parameters) {
  const torch::NoGradGuard noGrad;
  groups_.resize(2);
  groups_[0].weightDecay = options.weightDecay;
  for (const auto& [name, tensor] : parameters) {
    step_ = step_.defined() ? step_ : at::zeros({}, tensor.options().requires_grad(false));
    expAvgs_.push_back(at::zeros_like(tensor.detach()));
    expAvgSqs_.push_back(at::zeros_like(tensor.detach()));
    Group& group = groups_[isUndecayed(name) ? 1 : 0];
    group.parameters.push_back(tensor);
    group.expAvgs.push_back(expAvgs_.back());
    group.expAvgSqs.push_back(expAvgSqs_.back());
  }
  for (Group& group : groups_) {
    std::vector<double> elements;
    for (const at::Tensor& parameter : group.parameters) elements.push_back(static_cast<double>(parameter.numel()));
    if (options.clipsUpdates && !elements.empty()) group.elements = at::tensor(elements, step_.options());
  }
  if (options.beta2Varies) beta2Log_ = at::zeros({}, step_.options().dtype(at::kDouble));
  if (!options.scalesLoss) return;
  lossScale_ = at::full({1}, kFirstLossScale, step_.options());
  goodSteps_ = at::zeros({1}, step_.options().dtype(at::kInt));
}

std::vector<at::Tensor> AdamW::gradients() const {
  std::vector<at::Tensor> all;
  all.reserve(parameters_.size());
  for (const auto& [name, tensor] : parameters_) all.push_back(tensor.grad());
  return all;
}

void AdamW::zeroGradients() {
  const torch::NoGradGuard noGrad;
  at::_foreach_zero_(gradients());
}

at::Tensor AdamW::gradientNorm() const {
  const torch::NoGradGuard noGrad;
  const at::Tensor norm = globalNorm(gradients());
  return lossScale_.defined() ? norm / lossScale_.squeeze() : norm;
}

StepOutcome AdamW::step(double learningRate, const SkipRule& skip, const StepDecays& decays) {
  const torch::NoGradGuard noGrad;
  StepOutcome found;
  found.gradientNorm = gradientNorm();
  at::Tensor skipped = at::isfinite(found.gradientNorm).logical_not();
  const at::Tensor tooLarge = skipped.to(at::kFloat).reshape({1});
  if (std::isfinite(skip.gradNormLimit)) skipped.logical_or_(found.gradientNorm > skip.gradNormLimit);
  if (skip.flag.defined()) skipped.logical_or_(skip.flag);
  found.foundInf = skipped.to(at::kFloat);
  step_.add_(1.0 - found.foundInf);
  const double beta2 = decays.beta2.value_or(options_.beta2);
  if (beta2Log_.defined()) beta2Log_.add_((1.0 - found.foundInf.to(at::kDouble)) * std::log(beta2));
  weightDecayFactor_ = decays.weightDecayFactor;
  // The fused update divides gradients by max(1, norm / limit), like clip_grad_norm_ with its 1e-6.
  std::optional<at::Tensor> divisor;
  if (options_.gradClipNorm > 0) divisor = found.gradientNorm.add(1e-6).div(options_.gradClipNorm).clamp_min(1.0);
  if (lossScale_.defined()) divisor = divisor ? *divisor * lossScale_.squeeze() : lossScale_.squeeze().clone();
  for (Group& group : groups_)
    if (!group.parameters.empty()) update(group, {learningRate, beta2, divisor, found.foundInf});
  if (lossScale_.defined())
    at::_amp_update_scale_(lossScale_, goodSteps_, tooLarge, kLossScaleGrowth, kLossScaleBackoff, kStepsToGrow);
  return found;
}

void AdamW::update(Group& group, const Update& now) {
  std::vector<at::Tensor> grads;
  grads.reserve(group.parameters.size());
  for (const auto& parameter : group.parameters) grads.push_back(parameter.grad());
  // The fused update corrects both moments by one number of steps: here that of steps with the present beta2 which have
  // the product of the betas. The correction of the first moment goes into the rate, so that the decay is done apart.
  const bool varies = beta2Log_.defined();
  const at::Tensor steps = varies ? (beta2Log_ / std::log(now.beta2)).to(at::kFloat) : step_;
  const std::vector<at::Tensor> allSteps(grads.size(), steps);
  const double weightDecay = group.weightDecay * weightDecayFactor_;
  const auto fused = [&](std::size_t first, std::size_t count, const auto& rate, double decay) {
    const auto part = [&](const std::vector<at::Tensor>& all) { return at::TensorList(all).slice(first, count); };
    at::_fused_adamw_(part(group.parameters), part(grads), part(group.expAvgs), part(group.expAvgSqs), {},
                      part(allSteps), rate, options_.beta1, now.beta2, decay, options_.eps, /*amsgrad=*/false,
                      /*maximize=*/false, now.divisor, now.foundInf);
  };
  if (!options_.clipsUpdates && !varies) return fused(0, grads.size(), now.learningRate, weightDecay);
  if (options_.clipsUpdates) group.rateFactors = rateFactors(group, now);
  const at::Tensor factors = options_.clipsUpdates ? group.rateFactors : at::ones({1}, step_.options());
  at::Tensor rates = factors * now.learningRate;
  const std::size_t each = grads.size() / static_cast<std::size_t>(rates.numel());
  if (varies) {
    // Added, not multiplied by 1 - rate x decay, whose rounding would be a part of so small a decay.
    if (weightDecay > 0.0) {  // rates of a skipped step may be NaN
      std::vector<at::Tensor> decays;
      for (const at::Tensor& own : (rates * -weightDecay).masked_fill(now.foundInf > 0, 0.0).unbind())
        decays.insert(decays.end(), each, own);
      at::_foreach_addcmul_(group.parameters, group.parameters, decays);
    }
    rates = rates * ((1.0 - at::pow(options_.beta1, steps)) / (1.0 - at::pow(options_.beta1, step_)));
  }
  const std::vector<at::Tensor> all = rates.unbind();
  for (std::size_t i = 0; i < all.size(); ++i) fused(i * each, each, all[i], varies ? 0.0 : weightDecay);
}

/// 1 - the product of the betas of the second moment: [], fp32.
at::Tensor AdamW::secondCorrection() const {
  if (beta2Log_.defined()) return at::expm1(beta2Log_).neg().to(at::kFloat);
  return 1.0 - at::pow(options_.beta2, step_);
}

// The published form keeps moments without bias, m' = b' m' + (1 - b') g with b' = (b - b^t) / (1 - b^t), which is
// m / (1 - b^t) of AdamW's moment m: the moments and the fused update are AdamW's.
at::Tensor AdamW::rateFactors(const Group& group, const Update& now) const {
  const at::Tensor correction = secondCorrection().sqrt();
  const at::Tensor factor = now.divisor ? now.divisor->reciprocal() : at::ones({}, step_.options());
  std::vector<at::Tensor> norms;
  for (const Pieces& list : piecesOf(group.parameters, group.expAvgSqs)) {
    const std::vector<at::Tensor> scaled = at::_foreach_mul(list.gradients, factor);
    const std::vector<at::Tensor> divisors = at::_foreach_mul(list.expAvgSqs, now.beta2);
    at::_foreach_addcmul_(divisors, scaled, scaled, 1.0 - now.beta2);
    at::_foreach_sqrt_(divisors);
    at::_foreach_div_(divisors, correction);
    at::_foreach_clamp_min_(divisors, options_.eps);
    at::_foreach_div_(scaled, divisors);
    const std::vector<at::Tensor> found = at::_foreach_norm(scaled, 2.0);
    norms.insert(norms.end(), found.begin(), found.end());
  }
  std::vector<std::int64_t> counts;
  for (const at::Tensor& parameter : group.parameters) counts.push_back(piecesIn(parameter));
  std::vector<at::Tensor> sums;
  for (const at::Tensor& own : at::stack(norms).square_().split_with_sizes(counts)) sums.push_back(own.sum());
  return at::stack(sums).div_(group.elements).sqrt_().clamp_min_(1.0).reciprocal_();
}

at::Tensor AdamW::largestUpdateRatio(double learningRate) const {
  const torch::NoGradGuard noGrad;
  const Group& group = groups_.front();
  const at::Tensor correction1 = 1.0 - at::pow(options_.beta1, step_);
  const at::Tensor correction2 = secondCorrection().sqrt();
  std::vector<at::Tensor> ratios = {at::zeros({}, step_.options())};
  for (std::size_t i = 0; i < group.parameters.size(); ++i) {
    const at::Tensor weight = group.parameters[i].detach();
    at::Tensor update = group.expAvgs[i] / (group.expAvgSqs[i].sqrt().div_(correction2).add_(options_.eps));
    update.div_(correction1).add_(weight, group.weightDecay * weightDecayFactor_);
    const at::Tensor ratio = at::linalg_vector_norm(update) / at::linalg_vector_norm(weight).clamp_min(1e-30);
    ratios.push_back(options_.clipsUpdates ? ratio * group.rateFactors[static_cast<std::int64_t>(i)] : ratio);
  }
  return at::stack(ratios).max() * learningRate;
}

std::vector<NamedTensor> AdamW::stateTensors() const {
  std::vector<NamedTensor> all;
  for (std::size_t i = 0; i < parameters_.size(); ++i) all.push_back({kFirstMoment + parameters_[i].name, expAvgs_[i]});
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    all.push_back({kSecondMoment + parameters_[i].name, expAvgSqs_[i]});
  all.push_back({"step", step_});
  if (lossScale_.defined()) all.push_back({"loss_scale", lossScale_});
  if (goodSteps_.defined()) all.push_back({"loss_scale_steps", goodSteps_});
  if (beta2Log_.defined()) all.push_back({kBeta2Log, beta2Log_});
  return all;
}

Result<void> AdamW::setState(const std::string& name, const at::Tensor& value) {
  const torch::NoGradGuard noGrad;
  for (const auto& [known, tensor] : stateTensors()) {
    if (known != name) continue;
    if (tensor.sizes() != value.sizes())
      return Error::config(formatText("the saved state \"{}\" does not have the shape of the optimizer's", name));
    at::Tensor(tensor).copy_(value);
    if (name == "step" && beta2Log_.defined() && beta2Log_.item<double>() == 0.0)
      beta2Log_.copy_(value.to(at::kDouble) * std::log(options_.beta2));
    return {};
  }
  return Error::config(formatText("the optimizer has no state \"{}\"", name));
}

}  // namespace batchwise
