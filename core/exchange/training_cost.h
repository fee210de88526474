// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/exchange/model_shape.h"

namespace batchwise {

/// What training a model takes in floating-point operations: those of its matrix products, forward and backward.
/// Operations that only save memory or hide padding are no work of the model and not counted, nor are norms, biases and
/// the optimiser.
struct TrainingCost {
  double perToken = 0;           ///< in a layer's weights and in the head
  double perTokenAndLength = 0;  ///< attention: times the tokens of the sequence that a token stands in

  /// For so many real tokens in so many sequences, taken to be equally long (of other lengths attention takes a little
  /// more).
  double operations(double tokens, double samples) const;
};

/// A multiplication and an addition are two operations, and the backward pass takes twice the forward pass: 6 per
/// weight and token, 12 x layers x hidden size x length for attention. The head sees `predictedShare` of the tokens.
/// Source: Kaplan et al. 2020, section 2.1; attention after Chowdhery et al. 2022 (PaLM), appendix B.
TrainingCost trainingCost(const ModelShape& shape, double predictedShare);

/// How a run keeps it among the values that were found out at launch; nothing else depends on them.
void storeTrainingCost(const TrainingCost& cost, std::map<std::string, std::string>& values);
/// Zero if it is not among them.
TrainingCost storedTrainingCost(const std::map<std::string, std::string>& values);

}  // namespace batchwise
