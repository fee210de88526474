// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/model/bert_model.h"

namespace batchwise {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-6;
  double weightDecay = 0.01;
  double gradClipNorm = 1.0;  ///< 0: no clipping
  bool scalesLoss = false;    ///< for gradients in fp16

  static AdamWOptions of(const OptimizerConfig& config);
};

/// When a step is to change nothing although its gradient is finite.
struct SkipRule {
  double gradNormLimit = std::numeric_limits<double>::infinity();  ///< above it
  at::Tensor flag;  ///< [], bool, on the device: where true; may be undefined
};

/// What a step found, on the device; reading makes the host wait.
struct OptimizerStep {
  at::Tensor gradientNorm;  ///< [], fp32, before clipping
  at::Tensor foundInf;  ///< [], fp32: 1 if the step did nothing, as the norm was not finite or a rule said so, else 0
};

/// AdamW (Loshchilov and Hutter 2019, algorithm 2) with one rate for all groups, clipping by the global norm, and no
/// decay on biases and LayerNorm weights. Nothing waits for the device. State is fp32. One thread at a time.
class AdamW {
 public:
  /// Keeps references to the parameters and makes zero moments beside them.
  AdamW(const std::vector<NamedTensor>& parameters, AdamWOptions options);

  /// Zeroes all gradients in place.
  void zeroGradients();

  /// One step at rate `learningRate` with the gradients in .grad() (already reduced over devices and divided by the
  /// predicted tokens). Clips through the fused update, so .grad() holds the clipped gradients afterwards. A gradient
  /// with a NaN or an infinity, or `skip`, makes it a no-op that does not count as a step. The model's
  /// parametersChanged() must follow.
  OptimizerStep step(double learningRate, const SkipRule& skip = {});

  /// How much the step just made at `learningRate` changed a weight matrix, as a share of its norm: the largest over
  /// all matrices that decay, [], fp32. Worked out from the moments, with the decay taken of the new weights. Requires
  /// that the step was not skipped.
  at::Tensor largestUpdateRatio(double learningRate) const;

  /// The norm of all gradients as it stands, [], fp32.
  at::Tensor gradientNorm() const;

  /// What a loss is to be multiplied by before its backward pass, so that small gradients do not vanish in fp16: [1],
  /// fp32, on the device; undefined unless options().scalesLoss. Norms and steps take it out again. It begins at 65536,
  /// is halved by a step whose gradient is not finite, and doubled after 2,000 others in a row (Micikevicius et al.
  /// 2018, section 3.2). Part of the state.
  const at::Tensor& lossScale() const { return lossScale_; }

  /// exp_avg/<name>, exp_avg_sq/<name> for each parameter, then "step" ([], fp32), and of a scaled loss "loss_scale"
  /// and "loss_scale_steps": shares memory with the optimiser.
  std::vector<NamedTensor> stateTensors() const;
  /// Copies `value` into the state tensor `name`. Fails with Config for an unknown name or another shape.
  Result<void> setState(const std::string& name, const at::Tensor& value);

  const AdamWOptions& options() const { return options_; }

 private:
  struct Group {
    std::vector<at::Tensor> parameters, expAvgs, expAvgSqs, steps;
    double weightDecay = 0;
  };
  std::vector<at::Tensor> gradients() const;

  AdamWOptions options_;
  std::vector<NamedTensor> parameters_;
  std::vector<at::Tensor> expAvgs_, expAvgSqs_;  // as parameters_
  at::Tensor step_;                              // [], fp32, shared by all parameters
  at::Tensor lossScale_, goodSteps_;             // [1], fp32 and int32; undefined unless the loss is scaled
  std::vector<Group> groups_;
};

}  // namespace batchwise
