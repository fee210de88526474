// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/plan/lengths.h"

namespace batchwise {

/// Memory that the tensors of one device may take, and what sets the limit.
struct MemoryLimit {
  enum class Source {
    None,    ///< a processor without devices.memory_limit
    Config,  ///< devices.memory_limit
    Device,  ///< a GPU: what is free on it or already ours
    Host,    ///< what the machine, or the control group of this process, has available (core/base/machine.h)
  };
  Source source = Source::None;
  std::int64_t bytes = 0;  ///< per device; 0 without a limit
};

/// Returns the limit of a run on a device: `configured` (devices.memory_limit) if given, else `gpuBytes`, which a
/// processor does not have. Pure.
MemoryLimit memoryLimit(std::optional<std::int64_t> configured, std::optional<std::int64_t> gpuBytes);

/// Returns the limits that a forecast must stay within before a device is opened: `configured`, then `hostBytes`,
/// shared by the `devices`. `hostBytes`: nothing on GPUs and if unknown. Pure.
std::vector<MemoryLimit> forecastLimits(std::optional<std::int64_t> configured, std::optional<std::int64_t> hostBytes,
                                        std::int64_t devices);

/// Memory of one full step (forward, backward, optimizer) with `units` rows of the longest length on one device.
struct ProbeOutcome {
  bool fits = true;                ///< false: out of memory; the bytes are then those reached
  std::int64_t peakBytes = 0;      ///< peak during the step
  std::int64_t residentBytes = 0;  ///< in use afterwards: weights, moments, gradients
};

/// Runs one full step on a device and measures its memory; leaves weights, moments and random number generators
/// unchanged. Fails only for reasons other than memory.
using MicrobatchProbe = std::function<Result<ProbeOutcome>(std::int64_t units)>;

constexpr int kMaxProbes = 4;  ///< per search

struct MicrobatchSearch {
  std::int64_t limitBytes = 0;     ///< memory limit of the device
  double reserve = 0.1;            ///< share of the limit to leave free; 0 <= reserve < 1
  std::int64_t most = 1;           ///< upper bound of useful results: ceil(G / devices)
  std::int64_t tokensPerUnit = 1;  ///< the longest length, for messages
  SizeRounding rounding = SizeRounding::None;
};

struct ProbeRecord {
  std::int64_t units = 0;
  ProbeOutcome outcome;
};

struct MicrobatchResult {
  std::int64_t units = 0;
  std::int64_t most = 1;            ///< the bound of the search
  bool memoryDecides = false;       ///< false: `most` does
  std::vector<ProbeRecord> probes;  ///< all probes in order; at most kMaxProbes
};

/// Returns the largest micro-batch that fits limit x (1 - reserve), with at most kMaxProbes probes, none of which is
/// expected to exceed the limit. The first probe has one row; its peak minus what stays in use bounds the growth per
/// row and so gives a safe second size; a line through the last two probes gives each next. Fails with OutOfMemory,
/// with the figures, if one row does not fit, or with the probe's error. Calls `probe` on the calling thread.
Result<MicrobatchResult> searchMicrobatch(const MicrobatchSearch& search, const MicrobatchProbe& probe);

/// Tokens of the shortest trainable sequence: [CLS], one of the text, [SEP].
inline constexpr std::int64_t kShortestSequence = 3;

/// Returns the sequence lengths of a synthetic unit of a micro-batch that needs as much memory as any unit of the run.
/// Without a token budget it is one sequence of the longest length. With one, it is a pack that fills the budget with
/// the maximum number of sequences per pack of epoch 0 (see PackSource::maxSamplesPerPack), one of them as long as that
/// allows, the others about equal: memory grows with the tokens, but also with the sequences, each of which predicts at
/// least one token and has its own rows in the attention kernels (in the backward pass of flash attention 128 of fp32).
/// Fails like packRules() and PackSource::make().
Result<std::vector<std::int64_t>> worstCaseUnit(const TrainConfig& config,
                                                const std::shared_ptr<const Lengths>& lengths);

}  // namespace batchwise
