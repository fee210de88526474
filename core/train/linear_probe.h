// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <stop_token>

#include "core/base/result.h"

namespace batchwise {

/// A linear model over standardized features.
struct LinearProbe {
  at::Tensor mean, scale;  ///< [width], of the training features
  at::Tensor weights;      ///< [width + 1, outputs], fp64; the last row is the bias
  double penalty = 0;      ///< chosen by 5-fold cross-validation; that of scikit-learn is 1 / C, or alpha of a ridge

  /// Returns logits or numbers, [rows, outputs], fp64.
  at::Tensor outputs(const at::Tensor& features) const;
};

/// Fits a multinomial logistic regression: minimizes the sum of cross-entropies + penalty / 2 |weights|^2 (of two
/// classes, of the difference of their weights), without one on the bias, to convergence by L-BFGS (Nocedal and Wright
/// 2006, algorithm 7.4). Of the powers of ten from 1e-2 to 1e4 the penalty with the smallest cross-entropy on
/// the folds is taken. Deterministic. `features`: [rows, width]; `labels`: [rows], int64, below `classes`. Fails with
/// Stopped.
Result<LinearProbe> fitClassifier(const at::Tensor& features, const at::Tensor& labels, std::int64_t classes,
                                  const std::stop_token& stop);
/// Fits a ridge regression, likewise: sum of squared errors + penalty |weights|^2, in closed form. `numbers`: [rows].
Result<LinearProbe> fitRegression(const at::Tensor& features, const at::Tensor& numbers, const std::stop_token& stop);

}  // namespace batchwise
