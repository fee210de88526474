// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Memory of one full step (forward, backward, optimiser) of `units` rows at the longest length on one device.
struct ProbeOutcome {
  bool fits = true;            ///< false: the device refused; the bytes then say how far it came
  std::int64_t peakBytes = 0;  ///< most in use during the step
  std::int64_t restBytes = 0;  ///< in use afterwards: weights, moments, gradients
};

/// Runs one full step on a device and reports; leaves weights, moments and random numbers as they were. Fails only with
/// what has nothing to do with memory.
using MicrobatchProbe = std::function<Result<ProbeOutcome>(std::int64_t units)>;

constexpr int kMostProbes = 4;  ///< of one search

enum class SizeRounding { None, PowerOfTwo };

struct MicrobatchSearch {
  std::int64_t limitBytes = 0;     ///< what the device may hold
  double reserve = 0.1;            ///< share of it to leave free; 0 <= reserve < 1
  std::int64_t most = 1;           ///< no larger answer is of use: ceil(G / devices)
  std::int64_t tokensPerUnit = 1;  ///< the longest length, for messages
  SizeRounding rounding = SizeRounding::None;
};

struct ProbeRecord {
  std::int64_t units = 0;
  ProbeOutcome outcome;
};

struct MicrobatchAnswer {
  std::int64_t units = 0;
  std::vector<ProbeRecord> probes;  ///< every one, in order; at most kMostProbes
  double bytesPerUnit = 0;          ///< slope of the line through the last two probes
  double fixedBytes = 0;            ///< its intercept
};

/// The largest micro-batch that fits into limit x (1 - reserve), by at most kMostProbes, none of which is expected
/// above the limit: the first has one row; its share above what stays in use bounds the growth per row and so the
/// second, which is safe; a line with intercept through the last two gives the next. Fails with OutOfMemory, with the
/// figures, if one row does not fit; with what the probe fails with. `probe` is called on the caller's thread.
Result<MicrobatchAnswer> searchMicrobatch(const MicrobatchSearch& search, const MicrobatchProbe& probe);

}  // namespace batchwise
