// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "core/base/result.h"

namespace batchwise {

/// Whether `.recover` reached the end of the file. Uncertain: it or the reader of its rows reported an error, which may
/// be just the damage; compare row counts.
enum class SearchEnd { Complete, Uncertain, Early };

/// Rows that SQLite's recovery found in an untrusted or damaged database.
struct FoundRows {
  /// A new database with one table as `.recover` creates it: lost_and_found(rootpgno, pgno, nfield, id, c0, …).
  std::filesystem::path file;
  std::int32_t version = 0;  ///< according to the header of the source; 0 if unreadable
  bool headerLost = false;
  bool walIgnored = false;   ///< SQLite could not apply it
  bool shrunkByWal = false;  ///< applying the WAL more than halved the file: it may belong to another one
  SearchEnd end = SearchEnd::Complete;
  std::int64_t skippedRows = 0;  ///< rows too large for SQLite's recovery, as far as reported
};

/// Pages done and in total; called on the working thread.
using PagesSearched = std::function<void(std::int64_t done, std::int64_t total)>;

/// Whether to apply a WAL beside the source.
enum class SourceWal { Apply, Ignore };

/// Runs `.recover` of the program `sqlite3` on a copy of `source` in the empty folder `scratch`, which is two levels
/// below the destination that messages name. The copy gets our own first page, so that tables, triggers and views
/// described in the file have no effect: rows are found by page, and the caller decides which table they belong to. All
/// work on the file happens in child processes with limits derived from its size; this process only passes SQL literals
/// between them. Fails with NotFound (no such file), Unsupported (not a regular file, another program's, a newer
/// version, no `sqlite3`, or not the extension beside this program), Corrupt (nothing found), DiskFull, Io, or Stopped.
Result<FoundRows> findRows(const std::filesystem::path& source, const std::filesystem::path& scratch, SourceWal wal,
                           const PagesSearched& progress, const std::stop_token& stop);

}  // namespace batchwise
