// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/training_cost.h"

#include <cstdlib>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr const char* kPerToken = "model.operations_per_token";
constexpr const char* kPerTokenAndLength = "model.operations_per_token_and_length";

double numberIn(const std::map<std::string, std::string>& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? 0.0 : std::strtod(found->second.c_str(), nullptr);
}

}  // namespace

double TrainingCost::operations(double tokens, double samples) const {
  const double length = samples > 0 ? tokens / samples : 0.0;
  return tokens * (perToken + perTokenAndLength * length);
}

TrainingCost trainingCost(const ModelShape& shape, double predictedShare) {
  const auto hidden = static_cast<double>(shape.hiddenSize), layers = static_cast<double>(shape.layers);
  const double layer = 4 * hidden * hidden + 2 * hidden * static_cast<double>(shape.intermediateSize);
  const double head = hidden * hidden + hidden * static_cast<double>(shape.vocabSize);
  return {6 * (layers * layer + predictedShare * head), 12 * layers * hidden};
}

void storeTrainingCost(const TrainingCost& cost, std::map<std::string, std::string>& values) {
  values[kPerToken] = formatExact(cost.perToken);
  values[kPerTokenAndLength] = formatExact(cost.perTokenAndLength);
}

TrainingCost storedTrainingCost(const std::map<std::string, std::string>& values) {
  return {numberIn(values, kPerToken), numberIn(values, kPerTokenAndLength)};
}

}  // namespace batchwise
