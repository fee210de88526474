// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/model/encoder_model.h"

namespace batchwise {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-6;
  double weightDecay = 0.01;  ///< multiplied by the learning rate
  bool clipsUpdates = false;  ///< StableAdamW
  double gradClipNorm = 1.0;  ///< 0: no clipping
  bool scalesLoss = false;    ///< for fp16 gradients
  bool beta2Varies = false;   ///< steps have a beta2 of their own

  /// With optimizer.decouple_lr, the decay of a step is weight_decay x rate / optimizer.lr.
  static AdamWOptions of(const OptimizerConfig& config);
};

/// Conditions for skipping a step with a finite gradient.
struct SkipRule {
  double gradNormLimit = std::numeric_limits<double>::infinity();  ///< skip above this norm
  at::Tensor flag;  ///< [], bool, on the device; true: skip; may be undefined
};

/// What a step takes in place of AdamWOptions.
struct StepDecays {
  std::optional<double> beta2 = {};  ///< above 0 and below 1; needs AdamWOptions::beta2Varies
  double weightDecayFactor = 1.0;
};

/// Results of a step, on the device; reading them synchronizes.
struct StepOutcome {
  at::Tensor gradientNorm;  ///< [], fp32, before clipping
  at::Tensor foundInf;      ///< [], fp32: 1 if the step was skipped (non-finite gradient or SkipRule), else 0
};

/// AdamW (Loshchilov and Hutter 2019, algorithm 2) with one learning rate, global-norm clipping, and no weight decay on
/// biases and LayerNorm weights; or StableAdamW (Wortsman et al. 2023, algorithm 2): AdamW whose rate is divided, for
/// each tensor, by max(1, r) with r = sqrt(mean(g^2 / max(v, eps^2))) of the clipped gradient g and the new second
/// moment v without its bias. Where beta2 varies, the second moment is divided by 1 - the product of its betas, which
/// makes it a weighted mean (Kingma and Ba 2015, section 3, for one beta). Both have the same state. Does not
/// synchronize with the device. State is fp32. Not thread-safe.
class AdamW {
 public:
  /// Keeps references to the parameters; moments start at zero.
  AdamW(const std::vector<NamedTensor>& parameters, AdamWOptions options);

  /// Takes the weight decay of another stage of the run, as AdamWOptions::of().
  void setWeightDecay(const OptimizerConfig& config);

  /// Zeroes all gradients, in place.
  void zeroGradients();

  /// Makes a step from .grad(), which must be reduced over devices and divided by the number of predicted tokens;
  /// .grad() is clipped afterwards. Skips the step, without counting it, if the gradient is not finite or `skip`
  /// applies. Call the model's parametersChanged() afterwards.
  StepOutcome step(double learningRate, const SkipRule& skip = {}, const StepDecays& decays = {});

  /// Returns the relative size of the last step, the maximum over weight matrices of |update| / |weight|: [], fp32.
  /// Computed from the moments and the updated weights. Requires that the step was not skipped.
  at::Tensor largestUpdateRatio(double learningRate) const;

  /// Returns the global norm of the gradients: [], fp32.
  at::Tensor gradientNorm() const;

  /// Returns the norm above which gradients are clipped; 0: never.
  double gradClipNorm() const { return options_.gradClipNorm; }

  /// Factor for the loss before its backward pass, which keeps small fp16 gradients from underflowing: [1], fp32, on
  /// the device; undefined unless AdamWOptions::scalesLoss. Norms and steps divide by it. Starts at 65536, halves on a
  /// non-finite gradient, doubles after 2,000 finite ones in a row (Micikevicius et al. 2018, section 3.2). Part of the
  /// state.
  const at::Tensor& lossScale() const { return lossScale_; }

  /// Returns exp_avg/<name> and exp_avg_sq/<name> of all parameters, "step" ([], fp32), with loss scaling "loss_scale"
  /// and "loss_scale_steps", and where beta2 varies "beta2_log" ([], fp64: the logarithm of the product of the betas).
  /// Shares memory with the optimizer.
  std::vector<NamedTensor> stateTensors() const;
  /// Copies `value` into the state tensor `name`. Fails with Config for an unknown name or a different shape. A "step"
  /// without "beta2_log" means steps of AdamWOptions::beta2.
  Result<void> setState(const std::string& name, const at::Tensor& value);

 private:
  struct Group {
    std::vector<at::Tensor> parameters, expAvgs, expAvgSqs;
    double weightDecay = 0;
    at::Tensor elements = {};     ///< [parameters], fp32; only StableAdamW, as the next one
    at::Tensor rateFactors = {};  ///< [parameters], fp32: 1 / max(1, r) of the last step
  };
  struct Update {
    double learningRate = 0;
    double beta2 = 0;
    std::optional<at::Tensor> divisor;  ///< of the gradients
    at::Tensor foundInf;
  };
  std::vector<at::Tensor> gradients() const;
  void update(Group& group, const Update& now);
  at::Tensor rateFactors(const Group& group, const Update& now) const;
  at::Tensor secondCorrection() const;

  AdamWOptions options_;
  std::vector<NamedTensor> parameters_;
  std::vector<at::Tensor> expAvgs_, expAvgSqs_;  // in the order of parameters_
  at::Tensor step_;                              // [], fp32, shared by all parameters
  at::Tensor lossScale_, goodSteps_;             // [1], fp32 and int32; undefined without loss scaling
  at::Tensor beta2Log_;                          // [], fp64; undefined unless beta2 varies
  double weightDecayFactor_ = 1.0;               // of the last step
  std::vector<Group> groups_;
};

}  // namespace batchwise
