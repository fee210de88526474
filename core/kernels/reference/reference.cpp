// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/reference/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace batchwise {

std::vector<double> dropoutReference(const Dropout& dropout, std::span<const std::int64_t> rowKeys,
                                     std::int64_t width) {
  std::vector<double> factors;
  factors.reserve(rowKeys.size() * static_cast<std::size_t>(width));
  for (const std::int64_t rowKey : rowKeys)
    for (std::int64_t feature = 0; feature < width; ++feature)
      factors.push_back(dropoutFactor(dropoutRowState(dropout.key, rowKey), feature, dropout.threshold, dropout.scale));
  return factors;
}

NormReference addNormReference(std::span<const float> input, std::span<const float> bias,
                               std::span<const float> residual, std::span<const double> factors,
                               std::span<const float> gamma, std::span<const float> beta, double eps) {
  const std::size_t width = gamma.size();
  NormReference result;
  for (std::size_t first = 0; first < input.size(); first += width) {
    double mean = 0, variance = 0;
    for (std::size_t j = 0; j < width; ++j) {
      double value = input[first + j] + (bias.empty() ? 0.0 : static_cast<double>(bias[j]));
      if (!factors.empty()) value *= factors[first + j];
      if (!residual.empty()) value += residual[first + j];
      result.sum.push_back(value);
      mean += value / static_cast<double>(width);
    }
    for (std::size_t j = 0; j < width; ++j) {
      const double distance = result.sum[first + j] - mean;
      variance += distance * distance / static_cast<double>(width);
    }
    for (std::size_t j = 0; j < width; ++j)
      result.output.push_back((result.sum[first + j] - mean) / std::sqrt(variance + eps) * gamma[j] + beta[j]);
  }
  return result;
}

double activationReference(double x, ActivationKind kind) {
  switch (kind) {
    case ActivationKind::Gelu: return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case ActivationKind::GeluTanh:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case ActivationKind::Relu: return std::max(x, 0.0);
  }
  return x;
}

double crossEntropyReference(std::span<const double> logits, std::int64_t label) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const double logit : logits) total += std::exp(logit - top);
  return std::log(total) + top - logits[static_cast<std::size_t>(label)];
}

}  // namespace batchwise
