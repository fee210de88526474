// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/kernels/cpu_kernels.h"
#include "core/model/kernels/dropout.h"

namespace batchwise {

// Reference implementations that kernels are tested against: plain sequential loops in double. Slow; for tests.

/// Returns the dropout factor of a feature: 0 or the scale.
float dropoutFactor(const Dropout& dropout, std::int64_t rowKey, std::int64_t feature);

/// Returns the factor of each feature of each row, [rows, width].
std::vector<double> dropoutReference(const Dropout& dropout, std::span<const std::int64_t> rowKeys, std::int64_t width);

struct NormReference {
  std::vector<double> sum, output;  // [rows, width]
};
/// residual + (input + bias) * factors, and the same normalized. bias, residual and factors may be empty.
NormReference addNormReference(std::span<const float> input, std::span<const float> bias,
                               std::span<const float> residual, std::span<const double> factors,
                               std::span<const float> gamma, std::span<const float> beta, double eps);

/// See SequenceNorms. `outer`: gradients of the output, both added, as `sum` [rows, width].
std::vector<double> sequenceNormsReference(std::span<const double> outer, std::span<const float> sum,
                                           std::span<const float> mean, std::span<const float> rstd,
                                           std::span<const std::int64_t> starts, bool hasBeta);

/// Rows of words[id] + type + positions[index], normalized (see addNormReference()) and multiplied by `factors`.
/// Without gamma no norm; positions, type and factors may be empty. Tables: [ids, width].
std::vector<double> embedReference(std::span<const std::int64_t> ids, std::span<const std::int64_t> indices,
                                   std::span<const float> words, std::span<const float> positions,
                                   std::span<const float> type, std::span<const float> gamma,
                                   std::span<const float> beta, double eps, std::span<const double> factors,
                                   std::int64_t width);

/// Sums of the rows with each id below `count`, [count, width].
std::vector<double> sumRowsReference(std::span<const float> rows, std::span<const std::int64_t> ids, std::int64_t count,
                                     std::int64_t width);

double activationReference(double x, ActivationKind kind);

/// RMSNorm (see AddNorm) of the rows of `input`, [rows, width of gamma].
std::vector<double> rmsNormReference(std::span<const float> input, std::span<const float> gamma, double eps);

/// One row of heads turned for `position`, with the angle position * theta^(-2 i / headSize) for pair i; see Rotary.
std::vector<double> rotaryReference(std::span<const float> values, std::int64_t headSize, std::int64_t position,
                                    double theta, bool interleaved);

/// Matrices side by side, and the sums of their columns. parts: [rows, width of the part] each.
struct JoinReference {
  std::vector<double> output;   // [rows, width]
  std::vector<double> columns;  // [width]
};
JoinReference joinReference(std::span<const std::vector<float>> parts, std::int64_t rows);

/// -log softmax(logits)[label].
double crossEntropyReference(std::span<const double> logits, std::int64_t label);

}  // namespace batchwise
