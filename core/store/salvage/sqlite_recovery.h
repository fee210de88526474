// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "core/base/result.h"

namespace batchwise {

/// Whether `.recover` came to the end of the file. Doubtful: it or the reader of its rows reported a failure, which may
/// be no more than the damage; then the numbers of rows tell.
enum class SearchEnd { Whole, Doubtful, Early };

/// The rows that SQLite's own recovery finds in a database of unknown origin or state.
struct FoundRows {
  /// A database made by us with one table, as `.recover` makes it: lost_and_found(rootpgno, pgno, nfield, id, c0, …).
  std::filesystem::path file;
  std::int32_t version = 0;  ///< the schema version that the header of the source says; 0: it cannot be read
  bool headerLost = false;
  bool walLeftOut = false;  ///< SQLite could not take it in
  bool shrunk = false;      ///< the WAL made less than half of the file: it may belong to another
  SearchEnd end = SearchEnd::Whole;
  std::int64_t leftOut = 0;  ///< rows that are too large for SQLite's recovery, as far as it told
};

/// Pages done and to do; called from the thread that works.
using PagesSearched = std::function<void(std::int64_t done, std::int64_t total)>;

/// What to do with a WAL beside the source.
enum class SourceWal { TakeIn, LeaveOut };

/// Runs `.recover` of the program `sqlite3` on a copy of `source` in the empty folder `scratch`, two below the place of
/// the new workspace. The copy gets a first page of ours, so that the tables, triggers and views that the file
/// describes play no part: every row is found by the page that it lies on, and it is for the caller to say which table
/// it belongs to. All work on the file is done by other processes with limits that follow from its size; this one only
/// passes literals on from one to the other. Fails with NotFound (no such file), Unsupported (no plain file, another
/// program's, a newer version, no `sqlite3` or not its extension, which lies beside this program), Corrupt (nothing can
/// be found), DiskFull, Io, or Stopped.
Result<FoundRows> findRows(const std::filesystem::path& source, const std::filesystem::path& scratch, SourceWal wal,
                           const PagesSearched& progress, const std::stop_token& stop);

}  // namespace batchwise
