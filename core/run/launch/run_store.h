// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/run/trainer.h"
#include "core/store/records.h"
#include "core/store/run_queue.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"

namespace batchwise {

/// A run's history, as a resume needs it.
struct RunHistory {
  RunDetail run;
  std::vector<CheckpointRecord> checkpoints;  ///< oldest first
  std::vector<std::string> notes;             ///< what could not be imported into the database
};

/// Storage of a training run: the workspace's database, or a journal file per run if another machine has the database
/// open. Not thread-safe.
class RunStore {
 public:
  /// Fails as Workspace::open(), or with Io or DiskFull.
  static Result<std::unique_ptr<RunStore>> open(const std::filesystem::path& workspace, JournalUse journal,
                                                const Clock& clock);
  virtual ~RunStore() = default;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path cacheFolder() const { return folder_ / kCacheFolder; }
  /// Returns notes for the user.
  const std::vector<std::string>& notices() const { return notices_; }

  /// Returns the workspace with the runs trained before; null if it is not open here.
  virtual std::shared_ptr<const Workspace> workspace() const { return nullptr; }
  /// Returns the history of a run given by id, name or "latest"; imports its journal into the database first. Fails
  /// with NotFound.
  virtual Result<RunHistory> history(const std::string& run) = 0;
  struct AddedRun {
    std::string id, name;  ///< the name differs from the requested one if that was taken
  };
  /// Adds a new run, with the id `wantedId` if not empty; a new run can get a given id only in a journal, otherwise
  /// fails with Config. A started run of that id without a good checkpoint is restarted: its next segment replaces the
  /// earlier ones. Fails with Busy if it has a checkpoint.
  virtual Result<AddedRun> enter(const NewRun& run, const std::string& wantedId) = 0;
  /// Opens the next segment: the first of a new run, or of one returned by history(). Fails with Busy if the run has a
  /// writer.
  virtual Result<std::unique_ptr<RunRecorder>> begin(const std::string& run,
                                                     const RunRecorder::SegmentStart& start) = 0;
  /// Returns the file that the run is written to.
  virtual std::filesystem::path storeFile(const std::string& run) const = 0;
  /// Returns the current (not superseded) loss of the first global batch after `batch`, if the run has reached it. A
  /// journal knows it after history().
  virtual std::optional<SeriesPoint> lossAfter(const std::string& run, std::int64_t batch) const = 0;

 protected:
  RunStore(std::filesystem::path folder, std::vector<std::string> notices)
      : folder_(std::move(folder)), notices_(std::move(notices)) {}

 private:
  std::filesystem::path folder_;
  std::vector<std::string> notices_;
};

/// Resolves a request that may have started before, as of a requeued job: resumes the run of its id if the journal has
/// a checkpoint, else leaves it a new run. Fails with Corrupt, Io.
Result<LaunchRequest> startOrResume(LaunchRequest request);

/// Returns the request that trains the run of a turn of the queue. Requires a turn with a run.
LaunchRequest requestOf(const QueueTurn& turn, const std::filesystem::path& workspace);

}  // namespace batchwise
