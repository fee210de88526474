// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled once per instruction set, named by BATCHWISE_KERNEL_LEVEL. Must not instantiate inline functions of the
// standard library with external linkage (see vector_math.h).
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/model/kernels/cpu/vector_math.h"
#include "core/model/kernels/cpu_kernels.h"

namespace batchwise {
namespace {

using Index = std::int64_t;

template <typename Element>
[[gnu::always_inline]] inline float load(const Element* p, Index i) {
  return toFloat(p[i]);
}
template <typename Element>
[[gnu::always_inline]] inline void store(Element* p, Index i, float value) {
  p[i] = fromFloat<Element>(value);
}

template <typename Element>
[[gnu::always_inline]] inline void readRow(const Element* from, float* row, Index width) {
#pragma omp simd
  for (Index j = 0; j < width; ++j) row[j] = load(from, j);
}
/// row = from + bias. bias: null for none.
template <typename Element>
[[gnu::always_inline]] inline void readRowWithBias(const Element* from, const float* bias, float* row, Index width) {
  if (bias == nullptr) return readRow(from, row, width);
#pragma omp simd
  for (Index j = 0; j < width; ++j) row[j] = load(from, j) + bias[j];
}
template <typename Element>
[[gnu::always_inline]] inline void addRow(const Element* from, float* row, Index width) {
#pragma omp simd
  for (Index j = 0; j < width; ++j) row[j] += load(from, j);
}
template <typename Element>
[[gnu::always_inline]] inline void writeRow(const float* row, Element* to, Index width) {
#pragma omp simd
  for (Index j = 0; j < width; ++j) store(to, j, row[j]);
}

[[gnu::always_inline]] inline std::uint64_t mixed(std::uint64_t word) {
  word += 0x9E3779B97F4A7C15ULL;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL;
  return word ^ (word >> 31);
}

constexpr Index kBlock = 1024;  // features per block of dropout factors

/// factors[j] = factor of feature first + j, 0 or the scale, see Dropout. Requires `first` to be a multiple of 4 and
/// count <= kBlock.
[[gnu::always_inline]] inline void dropoutFactors(const Dropout& dropout, std::int64_t rowKey, Index first, Index count,
                                                  float* factors) {
  const std::uint64_t state = mixed(dropout.key ^ mixed(static_cast<std::uint64_t>(rowKey) ^ 0xD1B54A32D192ED03ULL));
  std::uint64_t words[kBlock / 4];
  std::uint16_t lanes[kBlock];
  const Index quads = (count + 3) / 4;
  const std::uint64_t start = state + static_cast<std::uint64_t>(first / 4) * 0x9E3779B97F4A7C15ULL;
#pragma omp simd
  for (Index q = 0; q < quads; ++q) words[q] = mixed(start + static_cast<std::uint64_t>(q) * 0x9E3779B97F4A7C15ULL);
  std::memcpy(lanes, words,
              static_cast<std::size_t>(quads) * sizeof(std::uint64_t));  // little-endian: lowest 16 bits first
  const std::int32_t threshold = static_cast<std::int32_t>(dropout.threshold);
  const float scale = dropout.scale;
#pragma omp simd
  for (Index j = 0; j < count; ++j) factors[j] = static_cast<std::int32_t>(lanes[j]) < threshold ? 0.0F : scale;
}

/// values: features `begin`, a multiple of 4, to begin + width - 1.
[[gnu::always_inline]] inline void applyDropout(const Dropout& dropout, std::int64_t rowKey, float* values, Index width,
                                                Index begin = 0) {
  float factors[kBlock];
  for (Index first = 0; first < width; first += kBlock) {
    const Index count = width - first < kBlock ? width - first : kBlock;
    dropoutFactors(dropout, rowKey, begin + first, count, factors);
#pragma omp simd
    for (Index j = 0; j < count; ++j) values[first + j] *= factors[j];
  }
}

struct RowMoments {
  float mean;
  float rstd;
};

/// Mean 0 and the root mean square in place of the deviation.
[[gnu::always_inline]] inline RowMoments rootMeanSquare(const float* row, Index width, float eps) {
  float squares = 0.0F;
#pragma omp simd reduction(+ : squares)
  for (Index j = 0; j < width; ++j) squares += row[j] * row[j];
  return {0.0F, 1.0F / std::sqrt(squares / static_cast<float>(width) + eps)};
}

[[gnu::always_inline]] inline RowMoments moments(const float* row, Index width, float eps, bool centered) {
  if (!centered) return rootMeanSquare(row, width, eps);
  float total = 0.0F;
#pragma omp simd reduction(+ : total)
  for (Index j = 0; j < width; ++j) total += row[j];
  const float mean = total / static_cast<float>(width);
  float squares = 0.0F;
#pragma omp simd reduction(+ : squares)
  for (Index j = 0; j < width; ++j) squares += (row[j] - mean) * (row[j] - mean);
  return {mean, 1.0F / std::sqrt(squares / static_cast<float>(width) + eps)};
}

/// output = (row - mean) * rstd * gamma + beta. beta: null for none.
template <typename Element>
[[gnu::always_inline]] inline void writeNormed(const float* row, const RowMoments& m, const float* gamma,
                                               const float* beta, Element* output, Index width) {
  if (beta == nullptr) {
#pragma omp simd
    for (Index j = 0; j < width; ++j) store(output, j, (row[j] - m.mean) * m.rstd * gamma[j]);
    return;
  }
#pragma omp simd
  for (Index j = 0; j < width; ++j) store(output, j, (row[j] - m.mean) * m.rstd * gamma[j] + beta[j]);
}

template <typename Element>
void addNorm(const AddNorm<Element>& a, Index begin, Index end) {
  float row[kMaxNormWidth];
  const Index width = a.width;
  for (Index i = begin; i < end; ++i) {
    readRowWithBias(a.input + i * width, a.bias, row, width);
    if (a.dropout.active()) applyDropout(a.dropout, a.rowKeys[i], row, width);
    if (a.residual != nullptr) addRow(a.residual + i * width, row, width);
    if (a.sum != nullptr) {
      // Normalize the stored (rounded) row, as the backward pass will see it.
      writeRow(row, a.sum + i * width, width);
      readRow(a.sum + i * width, row, width);
    }
    const RowMoments m = moments(row, width, a.eps, a.centered);
    writeNormed(row, m, a.gamma, a.beta, a.output + i * width, width);
    if (a.mean != nullptr) a.mean[i] = m.mean;
    if (a.rstd != nullptr) a.rstd[i] = m.rstd;
  }
}

/// row: gradient of the normalized row on entry, of the row before normalization on exit. Adds to gammaSums, betaSums.
template <typename Element>
[[gnu::always_inline]] inline void normGradientRow(const Element* sum, float mean, float rstd, const float* gamma,
                                                   float* row, float* gammaSums, float* betaSums, Index width,
                                                   bool centered) {
  float total = 0.0F;
  float weighted = 0.0F;
#pragma omp simd reduction(+ : total, weighted)
  for (Index j = 0; j < width; ++j) {
    const float unit = (load(sum, j) - mean) * rstd;
    const float outer = row[j];
    gammaSums[j] += outer * unit;
    betaSums[j] += outer;
    const float inner = outer * gamma[j];
    total += inner;
    weighted += inner * unit;
  }
  const float meanInner = centered ? total / static_cast<float>(width) : 0.0F;
  const float meanWeighted = weighted / static_cast<float>(width);
#pragma omp simd
  for (Index j = 0; j < width; ++j) {
    const float unit = (load(sum, j) - mean) * rstd;
    row[j] = rstd * (row[j] * gamma[j] - meanInner - unit * meanWeighted);
  }
}

template <typename Element>
void addNormGradient(const AddNormGradient<Element>& a, Index begin, Index end) {
  float row[kMaxNormWidth];
  const Index width = a.width;
  float* gammaSums = a.columns;
  float* betaSums = a.columns + width;
  float* biasSums = a.columns + 2 * width;
  std::memset(a.columns, 0, static_cast<std::size_t>(3 * width) * sizeof(float));
  for (Index i = begin; i < end; ++i) {
    if (a.outputGradient != nullptr) {
      readRow(a.outputGradient + i * width, row, width);
      if (a.secondGradient != nullptr) addRow(a.secondGradient + i * width, row, width);
      normGradientRow(a.sum + i * width, a.mean[i], a.rstd[i], a.gamma, row, gammaSums, betaSums, width, a.centered);
    } else {
      std::memset(row, 0, static_cast<std::size_t>(width) * sizeof(float));
    }
    if (a.sumGradient != nullptr) addRow(a.sumGradient + i * width, row, width);
    if (a.residualGradient != nullptr && a.residualGradient != a.inputGradient)
      writeRow(row, a.residualGradient + i * width, width);
    if (a.dropout.active()) applyDropout(a.dropout, a.rowKeys[i], row, width);
    Element* input = a.inputGradient + i * width;
#pragma omp simd
    for (Index j = 0; j < width; ++j) {
      store(input, j, row[j]);
      biasSums[j] += row[j];
    }
  }
}

template <typename Element>
void normColumns(const AddNormGradient<Element>& a, Index begin, Index end) {
  float row[kMaxNormWidth];
  const Index width = a.width;
  float* gammaSums = a.columns;
  float* betaSums = a.columns + width;
  std::memset(a.columns, 0, static_cast<std::size_t>(2 * width) * sizeof(float));
  for (Index i = begin; i < end; ++i) {
    readRow(a.outputGradient + i * width, row, width);
    if (a.secondGradient != nullptr) addRow(a.secondGradient + i * width, row, width);
    const Element* sum = a.sum + i * width;
    const float mean = a.mean[i], rstd = a.rstd[i];
#pragma omp simd
    for (Index j = 0; j < width; ++j) {
      gammaSums[j] += row[j] * (load(sum, j) - mean) * rstd;
      betaSums[j] += row[j];
    }
  }
}

/// row = word + type + position, without those that are null.
[[gnu::always_inline]] inline void addEmbeddings(const float* word, const float* type, const float* position,
                                                 float* row, Index width) {
  if (type != nullptr && position != nullptr) {
#pragma omp simd
    for (Index j = 0; j < width; ++j) row[j] = word[j] + type[j] + position[j];
    return;
  }
  readRow(word, row, width);
  if (type != nullptr) addRow(type, row, width);
  if (position != nullptr) addRow(position, row, width);
}

[[gnu::always_inline]] inline void readEmbedded(const EmbeddingSum& sum, Index i, float* row, Index width) {
  addEmbeddings(sum.word + sum.tokenIds[i] * width, sum.type,
                sum.position == nullptr ? nullptr : sum.position + sum.positions[i] * width, row, width);
}

template <typename Element>
void embed(const Embed<Element>& a, Index begin, Index end) {
  float row[kMaxNormWidth];
  const Index width = a.width;
  for (Index i = begin; i < end; ++i) {
    readEmbedded(a.sum, i, row, width);
    if (a.gamma != nullptr) {
      const RowMoments m = moments(row, width, a.eps, a.centered);
      writeNormed(row, m, a.gamma, a.beta, row, width);
      if (a.mean != nullptr) a.mean[i] = m.mean;
      if (a.rstd != nullptr) a.rstd[i] = m.rstd;
    }
    if (a.dropout.active()) applyDropout(a.dropout, a.rowKeys[i], row, width);
    writeRow(row, a.output + i * width, width);
  }
}

template <typename Element>
void embedGradient(const EmbedGradient<Element>& a, Index begin, Index end) {
  float row[kMaxNormWidth], sum[kMaxNormWidth];
  const Index width = a.width;
  float* typeSums = a.columns + 2 * width;
  std::memset(a.columns, 0, static_cast<std::size_t>(3 * width) * sizeof(float));
  for (Index i = begin; i < end; ++i) {
    readRow(a.outputGradient + i * width, row, width);
    if (a.dropout.active()) applyDropout(a.dropout, a.rowKeys[i], row, width);
    if (a.gamma != nullptr) {
      readEmbedded(a.sum, i, sum, width);
      normGradientRow(sum, a.mean[i], a.rstd[i], a.gamma, row, a.columns, a.columns + width, width, a.centered);
    }
    float* inner = a.sumGradient + i * width;
#pragma omp simd
    for (Index j = 0; j < width; ++j) {
      inner[j] = row[j];
      typeSums[j] += row[j];
    }
  }
}

/// BiasActivation without a bias.
template <typename Element, typename Function>
[[gnu::always_inline]] inline void activatePlain(const BiasActivation<Element>& a, Index begin, Index end,
                                                 Function function) {
#pragma omp simd
  for (Index j = begin * a.width; j < end * a.width; ++j) {
    const ValueAndSlope result = function(load(a.input, j));
    store(a.output, j, result.value);
    if (a.slope != nullptr) store(a.slope, j, result.slope);
  }
}

template <typename Element, typename Function>
[[gnu::always_inline]] inline void activate(const BiasActivation<Element>& a, Index begin, Index end,
                                            Function function) {
  if (a.bias == nullptr) return activatePlain(a, begin, end, function);
  const Index width = a.width;
  for (Index i = begin; i < end; ++i) {
    const Element* input = a.input + i * width;
    Element* output = a.output + i * width;
    if (a.slope != nullptr) {
      Element* slope = a.slope + i * width;
#pragma omp simd
      for (Index j = 0; j < width; ++j) {
        const ValueAndSlope result = function(load(input, j) + a.bias[j]);
        store(output, j, result.value);
        store(slope, j, result.slope);
      }
    } else {
#pragma omp simd
      for (Index j = 0; j < width; ++j) store(output, j, function(load(input, j) + a.bias[j]).value);
    }
  }
}

/// Calls work(function) with the function of `kind`, which is inlined in it.
template <typename Work>
[[gnu::always_inline]] inline void withFunction(ActivationKind kind, const Work& work) {
  switch (kind) {
    case ActivationKind::Gelu: return work([](float x) __attribute__((always_inline)) { return geluOf(x); });
    case ActivationKind::GeluTanh: return work([](float x) __attribute__((always_inline)) { return geluTanhOf(x); });
    case ActivationKind::Relu: return work([](float x) __attribute__((always_inline)) { return reluOf(x); });
    case ActivationKind::Silu: return work([](float x) __attribute__((always_inline)) { return siluOf(x); });
  }
}

template <typename Element>
void biasActivation(const BiasActivation<Element>& a, Index begin, Index end) {
  withFunction(
      a.kind, [&](auto function) __attribute__((always_inline)) { activate(a, begin, end, function); });
}

template <typename Element, typename Function>
[[gnu::always_inline]] inline void activateGated(const GatedActivation<Element>& a, Index begin, Index end,
                                                 Function function) {
  const Index width = a.width;
  for (Index i = begin; i < end; ++i) {
    const Element* gate = a.input + 2 * i * width;
    const Element* up = gate + width;
    Element* output = a.output + i * width;
    if (a.factors == nullptr) {
#pragma omp simd
      for (Index j = 0; j < width; ++j) store(output, j, function(load(gate, j)).value * load(up, j));
      continue;
    }
    Element* gateFactor = a.factors + 2 * i * width;
    Element* upFactor = gateFactor + width;
#pragma omp simd
    for (Index j = 0; j < width; ++j) {
      const ValueAndSlope result = function(load(gate, j));
      const float linear = load(up, j);
      store(output, j, result.value * linear);
      store(gateFactor, j, result.slope * linear);
      store(upFactor, j, result.value);
    }
  }
}

template <typename Element>
void gatedActivation(const GatedActivation<Element>& a, Index begin, Index end) {
  withFunction(
      a.kind, [&](auto function) __attribute__((always_inline)) { activateGated(a, begin, end, function); });
}

template <typename Element>
void gatedActivationGradient(const GatedActivationGradient<Element>& a, Index begin, Index end) {
  const Index width = a.width;
  for (Index i = begin; i < end; ++i) {
    const Element* outer = a.outputGradient + i * width;
    const Element* factors = a.saved + 2 * i * width;
    Element* inner = a.inputGradient + 2 * i * width;
#pragma omp simd
    for (Index j = 0; j < width; ++j) {
      const float gradient = load(outer, j);
      const float ofGate = gradient * load(factors, j);
      const float ofUp = gradient * load(factors, width + j);
      store(inner, j, ofGate);
      store(inner, width + j, ofUp);
    }
  }
}

/// Turns the pairs (values[i * step], values[i * step + other]) of one head.
template <typename Element>
[[gnu::always_inline]] inline void rotateHead(Element* values, const float* cosines, const float* sines, float sign,
                                              Index half, Index step, Index other) {
#pragma omp simd
  for (Index i = 0; i < half; ++i) {
    const float x = load(values, i * step);
    const float y = load(values, i * step + other);
    const float sine = sign * sines[i];
    store(values, i * step, x * cosines[i] - y * sine);
    store(values, i * step + other, y * cosines[i] + x * sine);
  }
}

template <typename Element>
void rotate(const Rotary<Element>& a, Index begin, Index end) {
  const Index half = a.headSize / 2;
  const float sign = a.inverse ? -1.0F : 1.0F;
  for (Index i = begin; i < end; ++i) {
    const float* cosines = a.cosines + a.positions[i] * half;
    const float* sines = a.sines + a.positions[i] * half;
    for (Index head = 0; head < a.heads; ++head) {
      Element* values = a.values + i * a.stride + head * a.headSize;
      if (a.interleaved)
        rotateHead(values, cosines, sines, sign, half, 2, 1);
      else
        rotateHead(values, cosines, sines, sign, half, 1, half);
    }
  }
}

template <typename Element>
void biasActivationGradient(const BiasActivationGradient<Element>& a, Index begin, Index end) {
  const Index width = a.width;
  std::memset(a.columns, 0, static_cast<std::size_t>(width) * sizeof(float));
  for (Index i = begin; i < end; ++i) {
    const Element* outer = a.outputGradient + i * width;
    const Element* slope = a.saved + i * width;
    Element* inner = a.inputGradient + i * width;
#pragma omp simd
    for (Index j = 0; j < width; ++j) {
      const float value = load(outer, j) * load(slope, j);
      store(inner, j, value);
      a.columns[j] += value;
    }
  }
}

template <typename Element>
void crossEntropy(const CrossEntropy<Element>& a, Index begin, Index end) {
  const Index width = a.width;
  const Index stride = a.stride == 0 ? width : a.stride;
  float* row = a.scratch;
  for (Index i = begin; i < end; ++i) {
    Element* logits = a.logits + i * stride;
    float top = -INFINITY;
    readRowWithBias(logits, a.bias, row, width);
#pragma omp simd reduction(max : top)
    for (Index j = 0; j < width; ++j) top = row[j] > top ? row[j] : top;
    const Index label = a.labels[i];
    const float labelLogit = row[label];
    bool first = labelLogit == top;
    for (Index j = 0; first && j < label; ++j) first = row[j] != top;
    float total = 0.0F;
#pragma omp simd reduction(+ : total)
    for (Index j = 0; j < width; ++j) {
      row[j] = expOf(row[j] - top);
      total += row[j];
    }
    a.loss[i] = std::log(total) - (labelLogit - top);
    a.correct[i] = first ? 1 : 0;
    if (!a.overwrite) continue;
    const float inverse = 1.0F / total;
    const float atLabel = row[label] * inverse - 1.0F;
#pragma omp simd
    for (Index j = 0; j < width; ++j) store(logits, j, row[j] * inverse);
    store(logits, label, atLabel);
    for (Index j = width; j < stride; ++j) store(logits, j, 0.0F);
  }
}

void attentionSoftmax(const AttentionRows& a, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) {
    float* row = a.scores + i * a.stride;
    float top = -INFINITY;
#pragma omp simd reduction(max : top)
    for (Index j = 0; j < a.width; ++j) top = row[j] > top ? row[j] : top;
    float total = 0.0F;
#pragma omp simd reduction(+ : total)
    for (Index j = 0; j < a.width; ++j) {
      row[j] = expOf((row[j] - top) * a.scale);
      total += row[j];
    }
    const float inverse = 1.0F / total;
#pragma omp simd
    for (Index j = 0; j < a.width; ++j) row[j] *= inverse;
    a.logSum[i] = top * a.scale + std::log(total);
  }
}

void attentionWeights(const AttentionRows& a, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) {
    float* row = a.scores + i * a.stride;
    const float logSum = a.logSum[i];
#pragma omp simd
    for (Index j = 0; j < a.width; ++j) row[j] = expOf(row[j] * a.scale - logSum);
  }
}

void attentionGradient(const AttentionGradientRows& a, Index begin, Index end) {
  for (Index i = begin; i < end; ++i) {
    const float* weights = a.weights + i * a.stride;
    float* gradients = a.weightGradients + i * a.stride;
    const float delta = a.delta[i];
#pragma omp simd
    for (Index j = 0; j < a.width; ++j) gradients[j] = weights[j] * (gradients[j] - delta) * a.scale;
  }
}

void dropoutRow(float* target, Index first, Index width, const Dropout& dropout, std::int64_t rowKey) {
  applyDropout(dropout, rowKey, target, width, first);
}

template <typename Element>
void widen(const Element* from, Index fromStride, float* to, Index rows, Index width) {
  for (Index i = 0; i < rows; ++i) readRow(from + i * fromStride, to + i * width, width);
}

template <typename Element>
void narrow(const float* from, Element* to, Index toStride, Index rows, Index width) {
  for (Index i = 0; i < rows; ++i) writeRow(from + i * width, to + i * toStride, width);
}

void addRows(float* target, const float* rows, const std::int64_t* indices, Index count, Index width) {
  for (Index n = 0; n < count; ++n) {
    const float* row = rows + indices[n] * width;
#pragma omp simd
    for (Index j = 0; j < width; ++j) target[j] += row[j];
  }
}

template <typename Element>
constexpr CpuKernels<Element> kTable = {addNorm<Element>,
                                        addNormGradient<Element>,
                                        normColumns<Element>,
                                        embed<Element>,
                                        embedGradient<Element>,
                                        biasActivation<Element>,
                                        biasActivationGradient<Element>,
                                        gatedActivation<Element>,
                                        gatedActivationGradient<Element>,
                                        rotate<Element>,
                                        crossEntropy<Element>,
                                        attentionSoftmax,
                                        attentionWeights,
                                        attentionGradient,
                                        dropoutRow,
                                        widen<Element>,
                                        narrow<Element>,
                                        addRows};

}  // namespace

#define BATCHWISE_JOIN(a, b) a##b
#define BATCHWISE_NAME(a, b) BATCHWISE_JOIN(a, b)
extern const CpuKernelSet BATCHWISE_NAME(kKernels, BATCHWISE_KERNEL_LEVEL);
const CpuKernelSet BATCHWISE_NAME(kKernels, BATCHWISE_KERNEL_LEVEL) = {kTable<float>, kTable<Bf16>, kTable<Fp16>};

}  // namespace batchwise
