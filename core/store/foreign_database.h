// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/store/database.h"

namespace batchwise {

/// Most that one text or blob of a workspace from elsewhere may have; larger ones cannot be read.
constexpr int kForeignValueBytes = 16 << 20;

/// A `workspace.sqlite` that somebody else may have made, or that is damaged, for reading row by row. Before anything
/// is read: it is a regular file with our application id and a version that is known, and its tables are exactly those
/// of that version, with nothing besides. The connection is read-only (and immutable where no WAL belongs to it),
/// DEFENSIVE, without triggers, views, extensions and trust in the schema, with lowered limits, 96 MiB of memory beyond
/// what SQLite has in use, and an amount of work that follows from the file's size; more than that ends in an error.
/// One thread at a time; the limit on memory holds for all of SQLite in this process while this lives.
class ForeignDatabase {
 public:
  /// `scratch`: an existing folder of ours for a copy of a file that has a WAL, is cut short, or has lost the
  /// descriptions of its tables; the file itself is never written. Fails with NotFound, Io, DiskFull, Corrupt, or
  /// Unsupported (another program's, or newer).
  static Result<ForeignDatabase> open(const std::filesystem::path& file, const std::filesystem::path& scratch);
  ForeignDatabase(ForeignDatabase&&) noexcept;
  ForeignDatabase& operator=(ForeignDatabase&&) noexcept;
  ~ForeignDatabase();

  SQLite::Database& database() const;
  std::int32_t version() const;
  /// The pages that describe the tables were damaged and have been put back in a copy (table_layout.h).
  bool descriptionsRestored() const;

 private:
  struct State;
  static Result<ForeignDatabase> openAsItIs(const std::filesystem::path& file, const std::filesystem::path& scratch);
  static Result<ForeignDatabase> openRestored(const std::filesystem::path& file, const std::filesystem::path& scratch);
  static Result<ForeignDatabase> connect(const std::filesystem::path& file, std::unique_ptr<State> state);
  explicit ForeignDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace batchwise
