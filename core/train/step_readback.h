// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <deque>
#include <optional>

#include "core/train/batch_totals.h"

namespace batchwise {

/// Figures of a step that only the device knows; scalars unless noted.
struct DeviceFigures {
  at::Tensor lossSum;  ///< over all devices
  at::Tensor gradNorm;
  at::Tensor foundInf;
  at::Tensor largestLogit;  ///< undefined unless measured
  at::Tensor updateRatio;   ///< undefined unless measured
  at::Tensor noise;         ///< [3], fp64: sums over devices of norm^2 and samples of a micro-batch, and their count
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
  /// `known`: all but loss, norm, small, largestLogit, updateRatio and skipped
  void add(const StepResult& known, const std::optional<Timestamp>& batchEnd, const DeviceFigures& figures);
  /// Returns the oldest step whose figures are due; nullopt if there is none.
  std::optional<Arrived> takeDue() { return take(device_.is_cpu() ? 0 : kLag); }
  /// Waits for the oldest step not taken yet and returns it; nullopt if there is none.
  std::optional<Arrived> takeAny() { return take(0); }

 private:
  struct Pending {
    Arrived step;
    at::Tensor figures;  // [8], fp64, on the host
    std::optional<c10::Event> copied;
  };
  std::optional<Arrived> take(std::size_t leave);

  const c10::Device device_;
  std::deque<Pending> pending_;
};

}  // namespace batchwise
