// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>

#include "core/store/database.h"
#include "core/store/messages.h"
#include "core/store/salvage/salvage.h"

namespace batchwise {

/// Collects the results of a salvage, reports progress and checks for a stop request.
class SalvageLog {
 public:
  SalvageLog(SalvageProgress progress, std::stop_token stop) : progress_(std::move(progress)), stop_(std::move(stop)) {}
  void addLoss(Message what) {
    if (report_.lost.size() < kLostLines) return report_.lost.push_back(std::move(what));
    ++omitted_;
  }
  bool hasLosses() const { return !report_.lost.empty(); }
  void note(Message what) { report_.notes.push_back(std::move(what)); }
  std::int64_t& count(const std::string& what) { return report_.copied[what]; }
  void progress(const Message& phase, std::int64_t done, std::int64_t total, const char* unit) const {
    if (progress_) progress_({phase, static_cast<double>(done), static_cast<double>(total), unit});
  }
  const std::stop_token& stop() const { return stop_; }
  /// Fails with Stopped if a stop was requested.
  Result<void> checkStop() const {
    return stop_.stop_requested() ? Result<void>(Error{ErrorCode::Stopped, messages::storeWorkCanceled(), {}})
                                  : Result<void>();
  }
  SalvageReport takeReport() {
    if (omitted_ > 0) report_.lost.push_back(messages::salvageMoreLosses(omitted_));
    return std::move(report_);
  }

 private:
  static constexpr std::size_t kLostLines = 200;
  const SalvageProgress progress_;
  const std::stop_token stop_;
  SalvageReport report_;
  std::size_t omitted_ = 0;
};

// Checkpoints of a workspace being salvaged, inside the caller's transaction. `from`, `target`: workspace folders;
// files are linked or copied. Functions fail with Io or DiskFull and throw what SQLite throws.

/// Copies the file of each checkpoint recorded in `into`; deletes the record if the file is missing or damaged.
Result<void> copyKnownCheckpoints(const std::filesystem::path& from, const std::filesystem::path& target,
                                  SQLite::Database& into, SalvageLog& log);

/// Copies intact checkpoint files that `into` has no record of, and records them from their own content. A lost run is
/// recreated with configuration and name of its newest checkpoint, without metrics. Files of runs with a journal in
/// `from` are only copied: importing the journal records them. As long as nothing was lost before, such files are what
/// killed processes left, and are notes of the report, not losses.
Result<void> copyUnknownCheckpoints(const std::filesystem::path& from, const std::filesystem::path& target,
                                    SQLite::Database& into, SalvageLog& log);

}  // namespace batchwise
