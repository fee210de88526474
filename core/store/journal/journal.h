// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Renames the journal of a run that is being deleted to `<id>.journal.deleted`, so that no import finds it. Returns
/// whether there was one. Fails with Busy if a process writes it, or with Io.
Result<bool> hideJournal(const std::filesystem::path& folder, const std::string& id);
/// Undoes hideJournal(). Fails with Io.
Result<void> restoreJournal(const std::filesystem::path& folder, const std::string& id);

/// Records a run in `runs/<id>.journal` (SCHEMA.md) on a host that must not open the database; syncJournals() imports
/// it. publish() is thread-safe and never waits for the disk: a background thread writes and syncs every 200 ms. Events
/// that cannot be written are kept and retried. Holds the journal's write lock while it lives. The
/// destructor tries once to write pending events.
class JournalWriter : public RunRecorder {
 public:
  /// Creates the journal of a new run in the workspace `folder`, with its first segment; continues one whose writer was
  /// killed before that segment. `id`: from newRecordId(). Fails with Config (name, or a configuration too large for a
  /// record), Io, DiskFull, Corrupt, Busy if the run has a segment or a writer, or Unsupported on a file system without
  /// working locks.
  static Result<std::unique_ptr<JournalWriter>> create(const std::filesystem::path& folder, const std::string& id,
                                                       const NewRun& run, const SegmentStart& start,
                                                       const Clock& clock = Workspace::systemClock());
  /// Opens a journal for its next segment. Moves everything after the last readable record (left by a stopped writer or
  /// a power failure) to `<id>.journal.torn-N`, which notices() reports. Fails with NotFound, Corrupt (contradictory
  /// records), Io, DiskFull, Busy if a process writes it, or Unsupported as create().
  static Result<std::unique_ptr<JournalWriter>> resume(const std::filesystem::path& folder, const std::string& id,
                                                       const SegmentStart& start,
                                                       const Clock& clock = Workspace::systemClock());
};

/// An unreadable part of a journal that is followed by intact groups.
struct JournalGap {
  std::int64_t byte = 0;
  std::int64_t bytes = 0;
  std::int64_t records = 0;  ///< lost with it
  /// Formats like "damaged at byte 512: 40 bytes with 3 records are lost".
  std::string text() const;
};

/// Reads the records of a journal with bounded memory and work for any file. An incomplete record at the end, as a
/// stopped writer leaves it, is no error: the journal ends before it. Damage followed by intact groups is skipped and
/// reported by gaps(), but only while no process writes the journal: on a network file system the end of a growing file
/// may become visible before its middle.
class JournalReader {
 public:
  /// `Writer`: the caller has locked the journal for writing.
  enum class OpenedBy { Anyone, Writer };
  /// Fails with NotFound, Io, or Corrupt (not a regular file).
  static Result<JournalReader> open(const std::filesystem::path& file, OpenedBy openedBy = OpenedBy::Anyone);
  JournalReader(JournalReader&&) noexcept;
  JournalReader& operator=(JournalReader&&) noexcept;
  ~JournalReader();
  /// Continues at a position that number() and byte() returned.
  void seek(std::int64_t number, std::int64_t byte);
  /// Position of the next record; byte() is the offset of its group.
  std::int64_t number() const;
  std::int64_t byte() const;
  /// Reads the next record; returns false at the end of the readable part. Fails with Io, or Corrupt (no JSON object).
  Result<bool> next(nlohmann::json& record);
  /// Returns the segment of the last record read.
  std::int64_t segment() const;
  const std::vector<JournalGap>& gaps() const;

 private:
  struct State;
  explicit JournalReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the ids of running runs that are known only through their journals, for example on another host. Fails as
/// Workspace's reading functions do.
Result<std::set<std::string>> journalOnlyRuns(const Workspace& workspace);

/// Result of syncJournals().
struct JournalSyncResult {
  std::vector<std::string> runs;   ///< ids of runs with new records
  std::int64_t records = 0;        ///< imported
  std::vector<std::string> notes;  ///< journals that were skipped, end early or lost records, and why
};

/// Imports the new records of all journals of the workspace into its database. Idempotent: each record is imported
/// once, also after an interruption; rows are identified by (run, segment, position). Journals are untrusted. Fails as
/// Workspace's writing functions do.
Result<JournalSyncResult> syncJournals(Workspace& workspace);

/// The same for `files`, named as by journalFile(). Stops between two transactions when requested; the next call
/// continues.
Result<JournalSyncResult> syncJournals(Workspace& workspace, const std::vector<std::filesystem::path>& files,
                                       const std::stop_token& stop = {});

}  // namespace batchwise
