// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"

namespace batchwise {

/// Checks that the file of a store which this process has open is still where it was when this was made. Reads the
/// identity of files alone: it opens nothing, which would cost the process its locks. A value; any thread.
class StorePresence {
 public:
  /// `file`: the database of a workspace, or a journal.
  explicit StorePresence(std::filesystem::path file);

  /// Nothing while the path leads to that file. Else NotFound with what has happened to it: what is written goes
  /// elsewhere, or nowhere.
  std::optional<Error> loss() const;
  /// Whether some path leads to what this process writes: the file was moved, not deleted.
  bool isReachable() const { return currentPath().has_value(); }

 private:
  std::optional<std::filesystem::path> currentPath() const;

  std::filesystem::path file_;
  std::optional<FileId> id_;   // none: there was no file, and nothing is reported
  std::optional<FileId> wal_;  // SQLite removes none that somebody has open
};

}  // namespace batchwise
