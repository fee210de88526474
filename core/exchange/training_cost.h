// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/exchange/model_shape.h"

namespace batchwise {

/// Floating-point operations of training: the model's matrix products, forward and backward. Excludes recomputation,
/// padding, norms, biases and the optimizer.
struct TrainingCost {
  double perToken = 0;           ///< in layer weights and the MLM head
  double perTokenAndLength = 0;  ///< attention: multiplied by the sequence length

  /// Returns the operations for `tokens` in `samples` sequences, assumed equally long (unequal lengths cost slightly
  /// more).
  double operations(double tokens, double samples) const;
};

/// Counts a multiply-add as two operations, and the backward pass as twice the forward pass: 6 per weight and token, 12
/// x layers x hidden size x length for attention. `predictedShare`: share of tokens that pass the MLM head. Source:
/// Kaplan et al. 2020, section 2.1; attention after Chowdhery et al. 2022 (PaLM), appendix B.
TrainingCost trainingCost(const ModelShape& shape, double predictedShare);

/// Stores the cost among the resolved values of a run.
void storeTrainingCost(const TrainingCost& cost, std::map<std::string, std::string>& values);
/// Inverse of storeTrainingCost(); zero if the values are missing.
TrainingCost storedTrainingCost(const std::map<std::string, std::string>& values);

}  // namespace batchwise
