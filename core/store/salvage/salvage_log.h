// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>

#include "core/store/salvage/salvage.h"

namespace batchwise {

/// Collects what a salvage brought over and what it could not, tells how far it is, and hears whether it is to stop.
class SalvageLog {
 public:
  SalvageLog(SalvageProgress progress, std::stop_token stop) : progress_(std::move(progress)), stop_(std::move(stop)) {}
  void lose(std::string what) {
    if (report_.lost.size() < kLostLines) return report_.lost.push_back(std::move(what));
    ++unsaid_;
  }
  void note(std::string what) { report_.notes.push_back(std::move(what)); }
  std::int64_t& count(const std::string& what) { return report_.copied[what]; }
  void progress(const char* phase, std::int64_t done, std::int64_t total, const char* unit) const {
    if (progress_) progress_({phase, static_cast<double>(done), static_cast<double>(total), unit});
  }
  const std::stop_token& stop() const { return stop_; }
  /// Fails with Stopped if it is to stop.
  Result<void> checkStop() const {
    return stop_.stop_requested() ? Result<void>(Error{ErrorCode::Stopped, "canceled", {}}) : Result<void>();
  }
  SalvageReport take() {
    if (unsaid_ > 0) report_.lost.push_back("and " + std::to_string(unsaid_) + " more");
    return std::move(report_);
  }

 private:
  static constexpr std::size_t kLostLines = 200;
  const SalvageProgress progress_;
  const std::stop_token stop_;
  SalvageReport report_;
  std::size_t unsaid_ = 0;
};

}  // namespace batchwise
