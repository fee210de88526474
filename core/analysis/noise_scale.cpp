// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/noise_scale.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/statistics.h"

namespace batchwise {
namespace {

constexpr double kHalfLivesKept = 6;
constexpr std::size_t kLeastBlocks = 4;

}  // namespace

/// Weighted means over the complete blocks, their covariances, and Student's t of their 95 % interval.
struct NoiseEstimator::Means {
  double trace = 0, gradient = 0, tokensPerSample = 0;
  double traceVariance = 0, gradientVariance = 0, covariance = 0;
  double t = 0;  ///< 0: too few blocks

  bool traceClear() const { return t > 0 && trace > t * std::sqrt(traceVariance); }
  bool gradientClear() const { return t > 0 && gradient > t * std::sqrt(gradientVariance); }
};

bool NoiseEstimator::lastIsComplete() const {
  return std::isinf(halfLife) || blocks.back().tokens * kBlocks >= halfLife;
}

void NoiseEstimator::setHalfLife(double tokens) {
  if (tokens == halfLife) return;
  halfLife = tokens;
  blocks.clear();
}

void NoiseEstimator::add(const StepNoise& step) {
  // The noise of the step's gradient, and what is left without it.
  const double noise = (step.partNormSquared - step.normSquared) * step.inverse / (step.partInverse - step.inverse);
  const bool parts = step.tokens > 0 && step.partInverse > step.inverse * (1 + 1e-9);
  if (!parts || !std::isfinite(noise) || !std::isfinite(step.normSquared)) return;
  const auto tokens = static_cast<double>(step.tokens), samples = static_cast<double>(step.samples);
  if (blocks.empty() || lastIsComplete()) blocks.emplace_back();
  Block& block = blocks.back();
  block.tokens += tokens;
  block.samples += samples;
  block.trace += (noise * samples - block.trace) * tokens / block.tokens;
  block.gradientSquared += (step.normSquared - noise - block.gradientSquared) * tokens / block.tokens;
  double newer = 0;
  for (const Block& each : blocks) newer += each.tokens;
  while (newer - blocks.front().tokens > kHalfLivesKept * halfLife && blocks.size() > kLeastBlocks) {
    newer -= blocks.front().tokens;
    blocks.erase(blocks.begin());
  }
}

NoiseEstimator::Means NoiseEstimator::means() const {
  Means found;
  const std::size_t count = blocks.empty() || lastIsComplete() ? blocks.size() : blocks.size() - 1;
  if (count < kLeastBlocks) return found;
  std::vector<double> weights(count);
  double age = 0, sum = 0, samples = 0, tokens = 0;
  for (std::size_t i = count; i-- > 0; age += blocks[i].tokens)
    weights[i] = blocks[i].tokens * std::exp2(-age / halfLife);
  for (const double weight : weights) sum += weight;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = weights[i] /= sum;
    found.trace += weight * blocks[i].trace;
    found.gradient += weight * blocks[i].gradientSquared;
    tokens += weight;
    samples += weight * blocks[i].samples / blocks[i].tokens;
  }
  found.tokensPerSample = tokens / samples;
  double squares = 0, cubes = 0, fourths = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double square = weights[i] * weights[i];
    const double trace = blocks[i].trace - found.trace, gradient = blocks[i].gradientSquared - found.gradient;
    squares += square;
    cubes += square * weights[i];
    fourths += square * square;
    found.traceVariance += square * trace * trace;
    found.gradientVariance += square * gradient * gradient;
    found.covariance += square * trace * gradient;
  }
  // The means took part in the residuals, which are smaller for it.
  const double unbiased = 1 / (1 - 2 * cubes / squares + squares);
  found.traceVariance *= unbiased;
  found.gradientVariance *= unbiased;
  found.covariance *= unbiased;
  const double degrees = squares * squares / fourths - 1;  // Satterthwaite 1946
  if (degrees >= 1) found.t = studentT(0.95, degrees);
  return found;
}

std::optional<double> NoiseEstimator::trace() const {
  const Means found = means();
  return found.traceClear() ? std::optional(found.trace) : std::nullopt;
}

std::optional<double> NoiseEstimator::gradientSquared() const {
  const Means found = means();
  return found.gradientClear() ? std::optional(found.gradient) : std::nullopt;
}

std::optional<NoiseScale> NoiseEstimator::scale() const {
  const Means m = means();
  if (!m.traceClear() || !m.gradientClear()) return std::nullopt;
  const double t2 = m.t * m.t;
  const double a = m.gradient * m.gradient - t2 * m.gradientVariance;  // above 0, as the gradient is clear
  const double b = m.trace * m.gradient - t2 * m.covariance;
  const double c = m.trace * m.trace - t2 * m.traceVariance;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  const double scale = m.trace / m.gradient;
  return NoiseScale{scale, (b - root) / a, (b + root) / a, scale * m.tokensPerSample};
}

}  // namespace batchwise
