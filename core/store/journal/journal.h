// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/store/workspace.h"

namespace batchwise {

/// Deletes the journal of a run with what was set aside of it; fine if there is none. Fails with Busy if somebody
/// writes it, or with Io.
Result<void> removeJournal(const std::filesystem::path& folder, const std::string& id);

/// Writes a run into `runs/<id>.journal` (SCHEMA.md) instead of the database, on a host that must not open it. What it
/// takes is what RunWriter takes; syncJournals() brings it into the database. publish(): any thread, never waits for
/// the disk; a thread of its own writes what has come every 200 ms and syncs it. What cannot be written is kept and
/// tried again. While it lives, nobody else can write this journal.
class JournalWriter final : public RunRecorder {
 public:
  /// Begins the journal of a new run in the workspace folder `folder`, with its first segment. `id`: from
  /// newRecordId(). What a writer left that was killed before that segment is gone on with. Fails with Config (name, a
  /// configuration too large for a record), Io, DiskFull, Corrupt, Busy if the run has a segment or a writer, or
  /// Unsupported on a file system without working locks.
  static Result<std::unique_ptr<JournalWriter>> create(const std::filesystem::path& folder, const std::string& id,
                                                       const NewRun& run, const SegmentStart& start,
                                                       const Clock& clock = Workspace::systemClock());
  /// Opens the next segment of a journal. What lies behind the last record that can be read, as of a writer that was
  /// stopped or a machine that lost power, is moved to `<id>.journal.torn-N`; notices() tells. Fails with NotFound,
  /// Corrupt (its records contradict each other), Io, DiskFull, Busy if somebody writes it, or Unsupported as create().
  static Result<std::unique_ptr<JournalWriter>> resume(const std::filesystem::path& folder, const std::string& id,
                                                       const SegmentStart& start,
                                                       const Clock& clock = Workspace::systemClock());
  /// Begins a journal, in a folder of its own, of what the store of a run could not be told: with the run and its
  /// segments so far; what is published belongs to the last of them. syncJournals() knows run and segments again, or
  /// enters them. Fails with Io, DiskFull, or Busy if there is one.
  static Result<std::unique_ptr<JournalWriter>> rescue(const std::filesystem::path& folder, const RunDetail& run,
                                                       const Clock& clock = Workspace::systemClock());
  /// Tries once to write what is left.
  ~JournalWriter() override;

  std::int64_t segment() const override;
  void publish(const RunEvent& event) override;
  Result<void> addCheckpoint(const CheckpointRecord& record) override;
  Result<std::vector<CheckpointRecord>> checkpoints() const override;
  Result<void> removeCheckpoint(const CheckpointRecord& record) override;
  Result<void> flush() override;
  std::optional<Error> trouble() const override;
  std::vector<std::string> notices() const override;

 private:
  struct State;
  explicit JournalWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A stretch of a journal that cannot be read, with whole groups behind it.
struct JournalGap {
  std::int64_t byte = 0;
  std::int64_t bytes = 0;
  std::int64_t records = 0;  ///< lost with it
  /// "damaged at byte 512: 40 bytes with 3 records are lost".
  std::string text() const;
};

/// One record after the other of a journal, with bounded memory and work for any file. What a writer was just adding
/// when it was stopped, and whatever else lies behind the last record without a whole one in it, is no error: the
/// journal ends before it. Damage with whole groups behind it is passed over and told by gaps(), but only while nobody
/// writes the journal: of one that grows on another machine the middle may be seen after the end.
class JournalReader {
 public:
  /// Who asks: somebody, or the one who has locked the journal for writing.
  enum class Asker { Anybody, ItsWriter };
  /// Fails with NotFound, Io, or Corrupt (no plain file).
  static Result<JournalReader> open(const std::filesystem::path& file, Asker asker = Asker::Anybody);
  JournalReader(JournalReader&&) noexcept;
  JournalReader& operator=(JournalReader&&) noexcept;
  ~JournalReader();
  /// Goes to the record with this number at this byte, as number() and byte() gave them.
  void seek(std::int64_t number, std::int64_t byte);
  /// Of the next record; `byte` is that of its group.
  std::int64_t number() const;
  std::int64_t byte() const;
  /// The next record; false at the end of what can be read. Fails with Io, or with Corrupt in a journal of format 1,
  /// whose records do not say which they are, where something unreadable is followed by more.
  Result<bool> next(nlohmann::json& record);
  /// The segment that the last record belongs to; nothing in format 1.
  std::optional<std::int64_t> segment() const;
  const std::vector<JournalGap>& gaps() const;

 private:
  struct State;
  explicit JournalReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Ids of the runs that train by a process which is known by its journal only, as on another machine. Fails as
/// Workspace's reading functions do.
Result<std::set<std::string>> runsElsewhere(const Workspace& workspace);

/// What syncJournals() did.
struct JournalSync {
  std::vector<std::string> runs;   ///< ids of those with something new
  std::int64_t records = 0;        ///< taken in
  std::vector<std::string> notes;  ///< journals that were left out, end early or lost records, and why
};

/// Takes what is new in all journals of the workspace into its database: each record once, however often this is
/// called, wherever it is interrupted; rows by (run, segment, position). Journals may be hostile. Fails as Workspace's
/// writing functions do.
Result<JournalSync> syncJournals(Workspace& workspace);

/// The same for some journals of the workspace, as journalFile() names them. Where a stop is asked for it ends between
/// two transactions; what is left is taken in the next time.
Result<JournalSync> syncJournals(Workspace& workspace, const std::vector<std::filesystem::path>& files,
                                 const std::stop_token& stop = {});

/// Takes in the journal `file` of a run from elsewhere, as one that was kept when its store was gone, with the
/// checkpoint files beside it (`../checkpoints/`), which are verified. Nothing there is changed. Fails as the above,
/// and with what is wrong with a checkpoint.
Result<JournalSync> takeJournal(Workspace& workspace, const std::filesystem::path& file);

}  // namespace batchwise
