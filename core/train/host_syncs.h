// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/util/Exception.h>

#include <cstdint>
#include <optional>
#include <string>

namespace batchwise {

/// Counts the calls within training steps that make the host wait for a GPU, through LibTorch's synchronization
/// warnings; those of autograd threads reach the thread that called backward. Waiting for an event does not count. For
/// benchmarks: does nothing, at no cost, unless the environment has BATCHWISE_COUNT_HOST_SYNCS. LibTorch's switch is
/// process-wide: use one device per process.
class HostSyncs {
 public:
  /// Number of first steps to skip, in which libraries initialize.
  static constexpr std::int64_t kWarmSteps = 5;

  /// Counts during its lifetime, on the thread that creates it.
  class Step final : c10::WarningHandler {
   public:
    explicit Step(HostSyncs& owner);
    ~Step() override;
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    void process(const c10::Warning& warning) override;

   private:
    HostSyncs& owner_;
    c10::WarningHandler* const outer_;
    std::int64_t count_ = 0;
  };

  explicit HostSyncs(bool enabled) : enabled_(enabled) {}
  static bool enabledByEnvironment();
  /// Returns nullopt unless counting is enabled.
  std::optional<Step> countStep();
  /// Returns for example "host syncs per step: 0.25 (5 in 20 steps)"; nullopt before the first counted step ends.
  std::optional<std::string> text() const;

 private:
  bool enabled_;
  std::int64_t steps_ = 0;
  std::int64_t count_ = 0;  // after the first kWarmSteps steps
};

}  // namespace batchwise
