// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/store/workspace.h"
#include "core/store/workspace_folder.h"

namespace SQLite {
class Database;
}

namespace batchwise {

inline constexpr const char* kSegmentLineLost = "the line that begins its segment is damaged or missing";

// A run on a host that must not open the database records in `runs/<id>.jsonl`: the lines of `batchwise train --json`
// and three kinds of its own (SCHEMA.md). Each line ends with its checksum.

/// Begins a segment. What follows in the journal belongs to it.
struct JournalSegment {
  std::string run;  ///< id
  std::int64_t number = 0;
  RunRecorder::SegmentStart start;  ///< of the first segment `start.restart` is the new run
  std::string host;                 ///< of the process that writes it
  std::int64_t processId = 0;
};
/// The writer has deleted this checkpoint.
struct RemovedCheckpoint {
  std::string id;
};
using JournalEntry = std::variant<RunEvent, JournalSegment, CheckpointRecord, RemovedCheckpoint>;
struct JournalLine {
  std::int64_t wallMs = 0;  ///< milliseconds since 1970 UTC
  JournalEntry entry;
  std::int64_t segment = -1;  ///< that it belongs to; -1: that of the lines before
};

constexpr std::size_t kLongestJournalLine = 16 << 20;  // bytes
/// Returns the line without its line end. Fails with Config if it is longer than kLongestJournalLine.
Result<std::string> journalText(const JournalLine& line);

/// Records a run in its journal; syncJournals() imports it. publish() is thread-safe and never waits for the disk: a
/// background thread writes and syncs every 200 ms. Lines that cannot be written are kept and retried. Holds the
/// journal's write lock while it lives. The destructor tries once to write pending lines.
class JournalWriter : public RunRecorder {
 public:
  /// Creates the journal of a new run in the workspace `folder`, with its first segment. `id`: from newRecordId().
  /// Fails with Config (name, or a configuration too large for a line), Io, DiskFull, Corrupt, Busy if the run has a
  /// segment or a writer, or Unsupported on a file system without working locks.
  static Result<std::unique_ptr<JournalWriter>> create(const std::filesystem::path& folder, const std::string& id,
                                                       const NewRun& run, const SegmentStart& start,
                                                       const Clock& clock = Workspace::systemClock());
  /// Opens a journal for its next segment. Cuts off what is behind the last intact line; notices() tells that, and
  /// which lines cannot be read. Fails with NotFound, Corrupt as readJournalRun(), Io, DiskFull, Busy if a process
  /// writes it, or Unsupported as create().
  static Result<std::unique_ptr<JournalWriter>> resume(const std::filesystem::path& folder, const std::string& id,
                                                       const SegmentStart& start,
                                                       const Clock& clock = Workspace::systemClock());
};

/// Reads the intact lines of a journal with bounded memory for any file: those with their checksum. The journal ends
/// with the last of them; what follows was written in part, or is about to be completed.
class JournalReader {
 public:
  /// A place between two lines.
  struct Position {
    std::int64_t byte = 0;
    std::int64_t line = 0;  ///< number of lines before it
  };
  /// `Writer`: the caller has locked the journal for writing.
  enum class OpenedBy { Anyone, Writer };
  /// Fails with NotFound, Io, or Corrupt (not a regular file).
  static Result<JournalReader> open(const std::filesystem::path& file, OpenedBy openedBy = OpenedBy::Anyone);
  JournalReader(JournalReader&&) noexcept;
  JournalReader& operator=(JournalReader&&) noexcept;
  ~JournalReader();

  void seek(const Position& position);
  Position position() const;
  /// Reads the next intact line that it understands; returns false at the end. While somebody writes the journal, a
  /// damaged line in the newest segment counts as the end: over a network the end of a write may be seen before its
  /// middle. Fails with Io, or with Corrupt, naming file and line, if too much is damaged at one place to look for what
  /// is behind it; position() then stays.
  Result<bool> next(JournalLine& line);
  /// Names the lines that the last next() left out, and why; empty if there are none. At the end of the journal these
  /// are the whole lines that follow it.
  const std::string& gap() const;
  /// Returns the checksum of the line last read.
  std::uint32_t checksum() const;
  /// Returns the place before the line last read.
  Position lineStart() const;

 private:
  struct State;
  explicit JournalReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A run as read from its journal, for hosts that must not open the database.
struct JournalRun {
  RunDetail run;
  std::vector<CheckpointRecord> checkpoints;  ///< oldest first
  std::vector<SeriesPoint> losses;            ///< of the global batches that are not superseded, ascending
  std::vector<std::string> gaps;              ///< lines that cannot be read
};

/// Reads a whole journal. Fails with NotFound, Io, or Corrupt (the line that begins a segment is damaged, or lines
/// contradict each other).
Result<JournalRun> readJournalRun(const std::filesystem::path& file);
/// The same with an open reader at the start of `file`, which is then at the end of what can be read.
Result<JournalRun> readJournalRun(JournalReader& reader, const std::filesystem::path& file);

/// Returns `runs/<id>.origin`: what a fork needs of a run that has no journal, on a host that must not open the
/// database. In the lines of a journal, but not imported.
std::filesystem::path forkOriginFile(const std::filesystem::path& folder, const std::string& id);
/// Writes it, with these checkpoints. Fails with Config, Io, DiskFull.
Result<void> writeForkOrigin(const std::filesystem::path& folder, const RunDetail& run,
                             const std::vector<CheckpointRecord>& checkpoints);

/// Returns the journal in the workspace `folder` of the run with this id or name, or of the newest run for "latest".
/// Fails with NotFound.
Result<std::filesystem::path> findJournal(const std::filesystem::path& folder, std::string_view idOrName);

/// Returns the ids of running runs that are known only through their journals, for example on another host. Fails as
/// Workspace's reading functions do.
Result<std::set<std::string>> journalOnlyRuns(const Workspace& workspace);

/// Result of syncJournals().
struct JournalSyncResult {
  std::vector<std::string> runs;   ///< ids of runs with new lines
  std::int64_t records = 0;        ///< lines that were imported
  std::vector<std::string> notes;  ///< journals that were skipped or end early, and why
};

/// Imports the new lines of all journals of the workspace into its database. Idempotent: each line is imported once,
/// also after an interruption; rows are identified by (run, segment, position). Journals are untrusted. Fails as
/// Workspace's writing functions do.
Result<JournalSyncResult> syncJournals(Workspace& workspace);

/// The same for `files`, named as by journalFile(). Stops between two transactions when requested; the next call
/// continues.
Result<JournalSyncResult> syncJournals(Workspace& workspace, const std::vector<std::filesystem::path>& files,
                                       const std::stop_token& stop = {});

/// Opens a journal and locks it for writing until the file is closed. `flags`: of open(2), beside O_RDWR. Fails with
/// NotFound, Io, Busy if a process writes it, or Unsupported on a file system without working locks.
Result<FileDescriptor> openLockedJournal(const std::filesystem::path& file, int flags = 0);

/// In the transaction that deletes a run: marks its journal, if there is one, as that of a deleted run, so that no
/// import enters the run again, also after a crash; the next import deletes what is left of it. The journal is locked
/// while the result lives, which is no file if there is none. Fails with Busy if a process writes it, or with Io.
/// Throws what SQLite throws.
Result<FileDescriptor> markJournalDeleted(SQLite::Database& database, const std::filesystem::path& folder,
                                          const std::string& run);
/// In a transaction once its files are deleted: removes the mark.
void forgetDeletedJournal(SQLite::Database& database, const std::string& run);

}  // namespace batchwise
