// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/noise_scale.h"
#include "core/config/events/run_event.h"
#include "core/config/time/time.h"
#include "core/train/guard/detectors.h"

namespace batchwise {

/// Result of one optimizer step over all devices.
struct StepResult {
  Timestamp after;  ///< clocks after the step
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t computedTokens = 0;  ///< denominator of fill: packs x budget, or what a padding trainer would compute
  std::int64_t predicted = 0;
  double lossSum = 0;   ///< in nats, over the predicted tokens
  double gradNorm = 0;  ///< before clipping
  double learningRate = 0;
  double seconds = 0;
  std::vector<SourceTokens> sources;  ///< that were read, by the sources of the text
  std::optional<StepNoise> noise;     ///< set if the noise scale is measured
  MeasuredFigures measured;
  StepLimits limits;     ///< that were applied to the step
  bool skipped = false;  ///< no update: the gradient was not finite, or above a limit

  double loss() const { return lossSum / static_cast<double>(predicted); }
  bool finite() const;  ///< whether the gradient norm is finite
};

/// Sums over the parts of the current global batch, for one metrics row. Saved with a checkpoint that is taken between
/// two parts.
struct BatchTotals {
  std::int64_t parts = 0;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t computedTokens = 0;
  std::int64_t predicted = 0;
  std::int64_t stepSamples = 0;  ///< samples of the largest part
  double lossSum = 0;
  double gradNorm = 0;      ///< the largest; NaN if any was
  double learningRate = 0;  ///< of the last part
  double seconds = 0;
  double gradNormSum = 0;
  MeasuredFigures measured = {};           ///< of the parts where they were measured
  std::vector<SourceTokens> sources = {};  ///< of a stage, whose global batches have the same

  void add(const StepResult& step);
  /// Requires parts > 0. Leaves `devices` empty.
  MetricsRow row(const Timestamp& at) const;
  bool operator==(const BatchTotals&) const = default;
};

/// Figures of a step that only the device knows; scalars unless noted.
struct DeviceFigures {
  at::Tensor lossSum;  ///< over all devices
  at::Tensor gradNorm;
  at::Tensor foundInf;
  std::vector<std::pair<std::optional<double> MeasuredFigures::*, at::Tensor>> measured;
  at::Tensor partNorm, norm;  ///< fp64: StepNoise::partNormSquared and normSquared; undefined if not measured
};

/// Copies the figures of steps to the host without waiting for the current step: on a GPU they arrive at most kLag
/// steps later, always the same number, so that all ranks see them at the same step. Immediate on the CPU.
class StepReadback {
 public:
  static constexpr std::size_t kLag = 2;

  explicit StepReadback(c10::Device device) : device_(device) {}

  struct Arrived {
    StepResult result;
    std::optional<Timestamp> batchEnd;  ///< clocks after the global batch, if the step was its last one
  };
  /// `known`: all but loss, norm, skipped and what `figures` has.
  void add(const StepResult& known, const std::optional<Timestamp>& batchEnd, const DeviceFigures& figures);
  /// Returns the oldest step whose figures are due; nullopt if there is none.
  std::optional<Arrived> takeDue() { return take(device_.is_cpu() ? 0 : kLag); }
  /// Waits for the oldest step not taken yet and returns it; nullopt if there is none.
  std::optional<Arrived> takeAny() { return take(0); }

 private:
  struct Pending {
    Arrived step;
    std::vector<std::optional<double> MeasuredFigures::*> measured;
    at::Tensor figures;  // [3 + measured, and 2 of noise], fp64, on the host
    std::optional<c10::Event> copied;
  };
  std::optional<Arrived> take(std::size_t leave);

  const c10::Device device_;
  std::deque<Pending> pending_;
};

}  // namespace batchwise
