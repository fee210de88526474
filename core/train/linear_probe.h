// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Whether to stop; asked often.
using StopCheck = std::function<bool()>;

/// A linear model over standardized features.
struct LinearProbe {
  at::Tensor mean, scale;  ///< [width], of the training features
  at::Tensor weights;      ///< [width + 1, outputs], fp64; the last row is the bias
  double penalty = 0;      ///< chosen by 5-fold cross-validation; that of scikit-learn is 1 / C, or alpha of a ridge
  std::vector<std::string> notes;  ///< that it is not solved, or a penalty beyond those that are tried may be better

  /// Returns logits or numbers, [rows, outputs], fp64.
  at::Tensor outputs(const at::Tensor& features) const;
};

/// Fits a multinomial logistic regression: minimizes the sum of cross-entropies + penalty / 2 |weights|^2 (of two
/// classes, of the difference of their weights), without one on the bias, to convergence by L-BFGS (Nocedal and Wright
/// 2006, algorithm 7.4). Of the powers of ten from 1e-2 to 1e4 the penalty with the smallest cross-entropy on
/// the folds is taken. Deterministic. `features`: [rows, width]; `labels`: [rows], int64, below `classes`; `groups`:
/// [rows], int64: rows of one group are in the same fold. Fails with Stopped.
Result<LinearProbe> fitClassifier(const at::Tensor& features, const at::Tensor& labels, const at::Tensor& groups,
                                  std::int64_t classes, const StopCheck& stop);
/// Fits a ridge regression, likewise: sum of squared errors + penalty |weights|^2, in closed form. `numbers`: [rows].
Result<LinearProbe> fitRegression(const at::Tensor& features, const at::Tensor& numbers, const at::Tensor& groups,
                                  const StopCheck& stop);

}  // namespace batchwise
