// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/run/trainer.h"
#include "core/store/stamped_event.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"

namespace batchwise {

/// What a resume needs to know about a run.
struct RunHistory {
  RunDetail run;
  std::vector<CheckpointRecord> checkpoints;  ///< oldest first
};

/// The workspace as a run that trains sees it: with its database, or, where another machine has that open, with a
/// journal per run beside it. One thread.
class RunHome {
 public:
  /// `journal`: as the field launch.journal. With "auto" the journal is taken if the folder lies on a network file
  /// system and belongs to another machine. Fails as Workspace::open(), or with Io or DiskFull.
  static Result<std::unique_ptr<RunHome>> open(const std::filesystem::path& workspace, const std::string& journal,
                                               const Clock& clock);
  virtual ~RunHome() = default;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path cacheFolder() const { return folder_ / kCacheFolder; }
  /// What a person should know about it.
  const std::vector<std::string>& notices() const { return notices_; }

  /// By id or name, or "latest". What a journal has of the run is taken into the database first. Fails with NotFound.
  virtual Result<RunHistory> history(const std::string& run) = 0;
  struct Entered {
    std::string id, name;  ///< the name may differ from the one wanted, which may have been taken
  };
  /// A new run, with the id `wantedId` unless that is empty, which a journal alone can give to a new one: else Config.
  /// A run of that id that has begun and has no good checkpoint begins again: its next segment takes the place of those
  /// before. Fails with Busy if it has one.
  virtual Result<Entered> enter(const NewRun& run, const std::string& wantedId) = 0;
  /// Opens the next segment; the first of a new run, or of one that history() knows. Fails with Busy if it has a
  /// writer.
  virtual Result<std::unique_ptr<RunRecorder>> begin(const std::string& run,
                                                     const RunRecorder::SegmentStart& start) = 0;
  /// What was published to a recorder that begin() gave and is not safe, oldest first; nothing where that cannot be
  /// told.
  virtual std::vector<StampedEvent> unstored(RunRecorder&) const { return {}; }
  /// The file that a run of this id is written into.
  virtual std::filesystem::path storeFile(const std::string& run) const = 0;
  /// The loss that counts of the first global batch after `batch`, if the run has been there.
  virtual std::optional<SeriesPoint> lossAfter(const std::string& run, std::int64_t batch) const = 0;

 protected:
  RunHome(std::filesystem::path folder, std::vector<std::string> notices)
      : folder_(std::move(folder)), notices_(std::move(notices)) {}

 private:
  std::filesystem::path folder_;
  std::vector<std::string> notices_;
};

/// What is to be done for a request that may have been begun before, as by a job that is queued again: a run of the id
/// that it wants goes on if its journal has a checkpoint, and begins (again) if not. Fails with Corrupt, Io.
Result<LaunchRequest> beginOrGoOn(LaunchRequest request);

}  // namespace batchwise
