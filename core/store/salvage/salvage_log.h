// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/store/salvage/salvage.h"

namespace batchwise {

/// Collects what a salvage brought over and what it could not.
class SalvageLog {
 public:
  void lose(std::string what) {
    if (report_.lost.size() < kLostLines) return report_.lost.push_back(std::move(what));
    ++unsaid_;
  }
  void note(std::string what) { report_.notes.push_back(std::move(what)); }
  std::int64_t& count(const std::string& what) { return report_.copied[what]; }
  SalvageReport take() {
    if (unsaid_ > 0) report_.lost.push_back("and " + std::to_string(unsaid_) + " more");
    return std::move(report_);
  }

 private:
  static constexpr std::size_t kLostLines = 200;
  SalvageReport report_;
  std::size_t unsaid_ = 0;
};

}  // namespace batchwise
