// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/base/random.h"
#include "core/model/kernels/arguments.h"
#include "core/model/kernels/element.h"
#include "tests/model/kernels/reference.h"

namespace batchwise {

/// `count` numbers around `center`.
inline std::vector<float> numbers(std::size_t count, std::uint64_t key, float spread = 1.0F, float center = 0.0F) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = center + spread * static_cast<float>(2.0 * unitRandom(randomBits(key, i)) - 1.0);
  return values;
}

template <typename Element>
std::vector<Element> elements(const std::vector<float>& values) {
  std::vector<Element> result;
  for (const float value : values) result.push_back(fromFloat<Element>(value));
  return result;
}

/// The same numbers after rounding to the kernel's type.
template <typename Element>
std::vector<float> rounded(const std::vector<Element>& values) {
  std::vector<float> result;
  for (const Element value : values) result.push_back(toFloat(value));
  return result;
}

/// How far a kernel of sums and norms may be from the reference.
template <typename Element>
double normTolerance() {
  return std::is_same_v<Element, float> ? 2e-5 : 2e-2;
}

struct Size {
  std::int64_t rows, width;
};

/// Inputs of addNorm for one size.
template <typename Element>
struct NormCase {
  NormCase(Size given, double probability)
      : size(given),
        count(static_cast<std::size_t>(size.rows * size.width)),
        input(elements<Element>(numbers(count, 1))),
        residual(elements<Element>(numbers(count, 2, 2.0F))),
        bias(numbers(static_cast<std::size_t>(size.width), 3)),
        gamma(numbers(static_cast<std::size_t>(size.width), 4, 0.5F, 1.0F)),
        beta(numbers(static_cast<std::size_t>(size.width), 5)),
        dropout(makeDropout(11, 2, 3, DropoutSite::LayerOutput, probability)) {
    for (std::int64_t i = 0; i < size.rows; ++i) rowKeys.push_back(dropoutRowKey(i / 2, i));
    sum.resize(count);
    output.resize(count);
    mean.resize(rowKeys.size());
    rstd.resize(rowKeys.size());
  }

  AddNorm<Element> arguments() {
    AddNorm<Element> a;
    a.input = input.data();
    a.bias = bias.data();
    a.residual = residual.data();
    a.rowKeys = rowKeys.data();
    a.gamma = gamma.data();
    a.beta = beta.data();
    a.sum = sum.data();
    a.output = output.data();
    a.mean = mean.data();
    a.rstd = rstd.data();
    a.dropout = dropout;
    a.eps = 1e-5F;
    a.width = size.width;
    return a;
  }

  NormReference expected() const {
    const auto factors = dropoutReference(dropout, rowKeys, size.width);
    return addNormReference(rounded(input), bias, rounded(residual), factors, gamma, beta, 1e-5);
  }

  Size size;
  std::size_t count;
  std::vector<Element> input, residual, sum, output;
  std::vector<float> bias, gamma, beta, mean, rstd;
  std::vector<std::int64_t> rowKeys;
  Dropout dropout;
};

}  // namespace batchwise
