// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <c10/util/Exception.h>

#include <cstdint>
#include <optional>
#include <string>

namespace batchwise {

/// Counts the calls within training steps that made the host wait for a GPU, by LibTorch's own warnings of them; those
/// of autograd's threads are handed to the thread that asked for the gradients. Waiting for an event is none, nor is
/// what happens between two steps. For benchmarks: nothing is counted, and nothing costs, unless the environment has
/// BATCHWISE_COUNT_HOST_SYNCS. LibTorch's switch is one for the process: meant for runs with one device per process.
class HostSyncs {
 public:
  /// First steps that are left out: libraries set themselves up in them.
  static constexpr std::int64_t kWarmSteps = 5;

  /// Counts from its making to its end, on the thread that makes it.
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

  explicit HostSyncs(bool wanted) : wanted_(wanted) {}
  static bool wantedByEnvironment();
  /// Nothing unless counting is wanted.
  std::optional<Step> ofStep();
  /// "host syncs per step: 0.25 (5 in 20 steps)"; nothing before the first counted step has ended.
  std::optional<std::string> text() const;

 private:
  bool wanted_;
  std::int64_t steps_ = 0;
  std::int64_t count_ = 0;  // without the first kWarmSteps
};

}  // namespace batchwise
