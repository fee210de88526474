// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/store/external_run.h"
#include "core/store/records.h"
#include "core/store/score.h"

namespace batchwise {

/// A folder with runs, metrics and checkpoints: `workspace.sqlite`, `checkpoints/`, `runs/`, `cache/`, `backups/` (see
/// SCHEMA.md).
/// One object per process and folder. Thread-safe: readers share a read-only connection under a lock; writers hold the
/// workspace's advisory lock for one transaction, so any number of processes on one host may write.
class Workspace {
 public:
  enum class Mode { ReadWrite, ReadOnly };

  /// Opens, creates or migrates a workspace; runs whose writer is dead become Interrupted. Fails with Io (not
  /// writable), DiskFull, Corrupt, or Unsupported (newer schema or another program's database, which stays unchanged).
  static Result<std::shared_ptr<Workspace>> open(const std::filesystem::path& folder, Mode mode = Mode::ReadWrite,
                                                 const Clock& clock = systemClock());
  ~Workspace();

  const std::filesystem::path& folder() const;
  /// Returns messages for the user about this workspace, for example that it lies on a network file system. Usually
  /// empty.
  const std::vector<std::string>& notices() const;
  std::filesystem::path checkpointFolder() const;
  std::filesystem::path cacheFolder() const;

  // Runs
  Result<std::string> createRun(const NewRun& run);
  /// Newest first, without those of the queue that have not begun (run_queue.h).
  Result<std::vector<RunSummary>> listRuns(bool withArchived = false) const;
  /// `idOrName`: an id, a unique prefix of one (at least 4 characters), a name, or "latest". Fails with NotFound,
  /// suggesting the nearest name.
  Result<RunDetail> findRun(std::string_view idOrName) const;
  Result<void> setArchived(const std::string& run, bool archived);
  /// Of several runs, in one transaction; those that no longer exist are left out.
  Result<void> setArchived(const std::vector<std::string>& runs, bool archived);
  Result<void> renameRun(const std::string& run, const std::string& name);
  /// Also fails with Config if a tag that the run does not have yet is not a plain line of at most 200 bytes.
  Result<void> setTags(const std::string& run, const std::vector<std::string>& tags);
  /// Of several runs, in one transaction: all or none; those that no longer exist are left out.
  Result<void> setTags(const std::map<std::string, std::vector<std::string>>& tagsByRun);
  /// Leaves out control characters other than line ends and tabs.
  Result<void> setNote(const std::string& run, const std::string& markdown);
  /// Sets runs whose writer is dead to Interrupted and returns their number. open() calls it once; a long-lived process
  /// may call it again.
  Result<std::int64_t> markDeadRuns();
  /// Sets a run whose writer is dead to Interrupted with this reason and cause. Does nothing if the run has ended
  /// otherwise or its writer lives.
  Result<void> setInterruptionReason(const std::string& run, const std::string& reason, FailureCause cause);
  /// Removes the run, its rows and checkpoint files. Fails with Busy if it is running.
  Result<void> deleteRun(const std::string& run);

  // Metrics. core/config/events/metric.cpp declares the series; "wall" is added, the seconds since 1970 when the row
  // was recorded.
  enum class Rows { Current, WithSuperseded };
  Result<std::vector<std::string>> seriesNames(const std::string& run) const;
  Result<std::vector<SeriesPoint>> series(const std::string& run, const std::string& name,
                                          Rows rows = Rows::Current) const;
  /// Returns only the points after `afterBatch`, for a chart that follows a run of another process.
  Result<std::vector<SeriesPoint>> seriesAfter(const std::string& run, const std::string& name,
                                               std::int64_t afterBatch) const;
  /// Returns at most about `buckets` buckets over [fromBatch, toBatch].
  Result<std::vector<SeriesBucket>> seriesBuckets(const std::string& run, const std::string& name,
                                                  std::int64_t fromBatch, std::int64_t toBatch,
                                                  std::int64_t buckets) const;
  /// Returns events other than metrics rows, oldest first.
  Result<std::vector<StoredEvent>> events(const std::string& run, std::int64_t afterId = 0) const;

  /// The id of the newest event of all runs; 0 if there is none. Ids only grow.
  Result<std::int64_t> newestEvent() const;
  /// Returns the events after `afterId` of all runs, oldest first; skips what cannot be read.
  Result<std::vector<EventOfRun>> eventsOfAllRuns(std::int64_t afterId) const;

  // Runs of other programs (external_run.h)
  /// Stores what is new in runs of other programs, in one transaction. One result per run. Fails as the store does.
  Result<std::vector<StoredExternalRun>> storeExternalRuns(std::span<const ExternalRun> runs);
  /// Returns the names that the series of a run have in its files, by ours.
  Result<std::map<std::string, std::string>> loggedNames(const std::string& run) const;
  Result<std::vector<SeriesAlias>> seriesAliases() const;
  /// Replaces the table of names, and renames the series of all runs of other programs by it.
  Result<void> setSeriesAliases(const std::vector<SeriesAlias>& aliases);

  // Checkpoints
  Result<std::vector<CheckpointRecord>> checkpoints(const std::string& run) const;
  Result<CheckpointRecord> findCheckpoint(std::string_view id) const;
  Result<void> setPinned(const std::string& checkpoint, bool pinned);
  Result<void> deleteCheckpoint(const std::string& checkpoint);

  // Scores
  /// Stores scores with their predictions, in one transaction. A score of equal run, model, task, hash, method, metric,
  /// split, seed and rate replaces the older one. Fails with NotFound if a run does not exist, or with Config if a name
  /// is no plain line or a number of examples does not fit.
  Result<void> addScores(const std::vector<Score>& scores);
  /// Deletes the scores of a Hugging Face folder.
  Result<void> deleteFolderScores(const std::string& folder);
  /// Returns scores without their predictions, oldest first.
  Result<std::vector<Score>> scores(const ScoreQuery& query = {}) const;
  /// Returns the predictions of the stored score that `score` would replace, by example; none if they are not kept.
  /// Fails with NotFound if there is no such score.
  Result<std::vector<ExampleScore>> predictions(const Score& score) const;

  // Window layouts and other small settings of the workspace
  Result<void> saveSetting(const std::string& key, const std::string& value);
  Result<std::optional<std::string>> setting(const std::string& key) const;

  /// Returns a number that changes whenever any process commits to the database. Values of one `Workspace` object are
  /// comparable. Cheap enough to poll before each read.
  Result<std::int64_t> dataVersion() const;

  // Maintenance
  Result<std::vector<std::string>> check() const;  ///< problems found; empty: none
  /// Copies the database to the new file `target`. Fails as writeBackup(), or with Config if it exists.
  Result<void> backup(const std::filesystem::path& target) const;

  static const Clock& systemClock();

  /// Opens or creates `file` as the database of the workspace `folder`, for writing; used inside core/store only.
  static Result<std::shared_ptr<Workspace>> openFile(const std::filesystem::path& folder,
                                                     const std::filesystem::path& file, const Clock& clock);
  /// Opens for reading `file`, of unknown origin, which has the tables of a workspace and those that `moreSql` makes,
  /// and which nobody writes; used inside core/store only. Fails as checkSchema(), or with Corrupt.
  static Result<std::shared_ptr<Workspace>> openImmutable(const std::filesystem::path& file, std::string_view moreSql);
  /// Connections and writer thread; used inside core/store only.
  struct State;
  State& state() const { return *state_; }

 private:
  explicit Workspace(std::unique_ptr<State> state);
  static Result<std::shared_ptr<Workspace>> openReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
