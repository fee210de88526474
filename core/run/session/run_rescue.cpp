// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_rescue.h"

#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/user_folders.h"
#include "core/run/messages.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/journal/journal_run.h"

namespace batchwise {
namespace fs = std::filesystem;

void RunRescue::setRun(RunDetail run) {
  const MutexLock lock(mutex_);
  run_ = std::move(run);
}

// Uses a folder beside the default workspace, which may itself be lost; without a home, one for temporary files. Keeps
// earlier rescues.
Result<void> RunRescue::open() {
  if (journal_ != nullptr) return {};
  std::error_code none;
  const fs::path beside = defaultWorkspacePath();
  const fs::path all = (beside.empty() ? fs::temp_directory_path(none) / "batchwise" : beside).native() + "-rescue";
  const std::string name = run_.summary.id + "-" + std::to_string(run_.segments.back().number);
  std::error_code ignored;
  folder_ = all / name;
  for (int next = 2; fs::exists(folder_, ignored); ++next) folder_ = all / (name + "-" + std::to_string(next));
  stamps_.stampMs = clock_.wallMs();
  ASSIGN_OR_RETURN(auto journal, JournalWriter::rescue(folder_, run_, stamps_));
  journal_ = std::move(journal);
  return {};
}

Result<void> RunRescue::keep(const CheckpointRecord& record, const CheckpointState& state) {
  const MutexLock lock(mutex_);
  RETURN_IF_ERROR(open());
  RETURN_IF_ERROR(writeCheckpoint(folder_ / record.file, state));
  ASSIGN_OR_RETURN(const auto reader, CheckpointReader::open(folder_ / record.file));
  RETURN_IF_ERROR(reader.verify());
  CheckpointRecord kept = record;
  kept.verified = true;
  stamps_.stampMs = clock_.wallMs();
  return journal_->addCheckpoint(kept);
}

Result<void> RunRescue::keep(const std::vector<StampedEvent>& events) {
  const MutexLock lock(mutex_);
  if (events.empty()) return {};
  RETURN_IF_ERROR(open());
  for (const StampedEvent& stamped : events) {
    stamps_.stampMs = stamped.wallMs;
    journal_->publish(stamped.event);
  }
  return journal_->flush();
}

Message RunRescue::text() const {
  const MutexLock lock(mutex_);
  if (journal_ == nullptr) return {};
  const std::string file = journalFile(folder_, run_.summary.id).native();
  return messages::rescueJournalRemedy(file);
}

}  // namespace batchwise
