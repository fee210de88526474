// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace batchwise {

float dropoutFactor(const Dropout& dropout, std::int64_t rowKey, std::int64_t feature) {
  const std::uint64_t bits = dropoutBits(dropoutRowState(dropout.key, rowKey), static_cast<std::uint64_t>(feature) / 4);
  const std::uint32_t lane = static_cast<std::uint32_t>(bits >> (16 * (feature % 4))) & 0xFFFFU;
  return lane < dropout.threshold ? 0.0F : dropout.scale;
}

std::vector<double> dropoutReference(const Dropout& dropout, std::span<const std::int64_t> rowKeys,
                                     std::int64_t width) {
  std::vector<double> factors;
  factors.reserve(rowKeys.size() * static_cast<std::size_t>(width));
  for (const std::int64_t rowKey : rowKeys)
    for (std::int64_t feature = 0; feature < width; ++feature)
      factors.push_back(dropoutFactor(dropout, rowKey, feature));
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

std::vector<double> sequenceNormsReference(std::span<const double> outer, std::span<const float> sum,
                                           std::span<const float> mean, std::span<const float> rstd,
                                           std::span<const std::int64_t> starts, bool hasBeta) {
  const std::size_t width = mean.empty() ? 0 : sum.size() / mean.size();
  std::vector<double> squares(starts.size() - 1);
  for (std::size_t i = 0; i < squares.size(); ++i)
    for (std::size_t j = 0; j < width; ++j) {
      double gamma = 0, beta = 0;
      for (auto row = static_cast<std::size_t>(starts[i]); row < static_cast<std::size_t>(starts[i + 1]); ++row) {
        const double gradient = outer[row * width + j];
        gamma += gradient * (static_cast<double>(sum[row * width + j]) - mean[row]) * rstd[row];
        beta += gradient;
      }
      squares[i] += gamma * gamma + (hasBeta ? beta * beta : 0.0);
    }
  return squares;
}

std::vector<double> embedReference(std::span<const std::int64_t> ids, std::span<const std::int64_t> indices,
                                   std::span<const float> words, std::span<const float> positions,
                                   std::span<const float> type, std::span<const float> gamma,
                                   std::span<const float> beta, double eps, std::span<const double> factors,
                                   std::int64_t width) {
  std::vector<float> sums;
  for (std::size_t row = 0; row < ids.size(); ++row)
    for (std::int64_t j = 0; j < width; ++j) {
      double value = words[static_cast<std::size_t>(ids[row] * width + j)];
      if (!type.empty()) value += type[static_cast<std::size_t>(j)];
      if (!positions.empty()) value += positions[static_cast<std::size_t>(indices[row] * width + j)];
      sums.push_back(static_cast<float>(value));
    }
  std::vector<double> output(sums.begin(), sums.end());
  if (!gamma.empty()) output = addNormReference(sums, {}, {}, {}, gamma, beta, eps).output;
  for (std::size_t i = 0; i < factors.size(); ++i) output[i] *= factors[i];
  return output;
}

std::vector<double> sumRowsReference(std::span<const float> rows, std::span<const std::int64_t> ids, std::int64_t count,
                                     std::int64_t width) {
  std::vector<double> sums(static_cast<std::size_t>(count * width));
  for (std::size_t i = 0; i < rows.size(); ++i)
    sums[static_cast<std::size_t>(ids[i / static_cast<std::size_t>(width)] * width) +
         i % static_cast<std::size_t>(width)] += rows[i];
  return sums;
}

double activationReference(double x, ActivationKind kind) {
  switch (kind) {
    case ActivationKind::Gelu: return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case ActivationKind::GeluTanh:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case ActivationKind::Relu: return std::max(x, 0.0);
    case ActivationKind::Silu: return x / (1.0 + std::exp(-x));
  }
  return x;
}

std::vector<double> rmsNormReference(std::span<const float> input, std::span<const float> gamma, double eps) {
  const std::size_t width = gamma.size();
  std::vector<double> output;
  for (std::size_t first = 0; first < input.size(); first += width) {
    double square = 0;
    for (std::size_t j = 0; j < width; ++j)
      square += static_cast<double>(input[first + j]) * input[first + j] / static_cast<double>(width);
    for (std::size_t j = 0; j < width; ++j) output.push_back(input[first + j] / std::sqrt(square + eps) * gamma[j]);
  }
  return output;
}

std::vector<double> rotaryReference(std::span<const float> values, std::int64_t headSize, std::int64_t position,
                                    double theta, bool interleaved) {
  const auto size = static_cast<std::size_t>(headSize), half = size / 2;
  std::vector<double> turned(values.size());
  for (std::size_t head = 0; head < values.size(); head += size)
    for (std::size_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(size));
      const std::size_t x = head + (interleaved ? 2 * i : i), y = head + (interleaved ? 2 * i + 1 : i + half);
      turned[x] = values[x] * std::cos(angle) - values[y] * std::sin(angle);
      turned[y] = values[y] * std::cos(angle) + values[x] * std::sin(angle);
    }
  return turned;
}

JoinReference joinReference(std::span<const std::vector<float>> parts, std::int64_t rows) {
  JoinReference result;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::size_t column = 0;
    for (const std::vector<float>& part : parts) {
      const std::size_t width = part.size() / static_cast<std::size_t>(rows);
      for (std::size_t i = 0; i < width; ++i, ++column) {
        result.output.push_back(part[static_cast<std::size_t>(row) * width + i]);
        if (row == 0) result.columns.push_back(0.0);
        result.columns[column] += result.output.back();
      }
    }
  }
  return result;
}

double crossEntropyReference(std::span<const double> logits, std::int64_t label) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const double logit : logits) total += std::exp(logit - top);
  return std::log(total) + top - logits[static_cast<std::size_t>(label)];
}

}  // namespace batchwise
