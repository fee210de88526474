// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"

namespace batchwise {

/// Detects that the file of an open store was moved, replaced or deleted since this object was constructed. Compares
/// file identities and opens nothing: closing a descriptor would drop the process's locks. Immutable and thread-safe.
class StorePresence {
 public:
  /// `file`: the database of a workspace, or a journal.
  explicit StorePresence(std::filesystem::path file);

  /// Returns nullopt while the path leads to the original file. Otherwise returns NotFound with what happened to the
  /// file.
  std::optional<Error> loss() const;
  /// Returns whether the open file still has a path: it was moved, not deleted.
  bool isReachable() const { return currentPath().has_value(); }

 private:
  std::optional<std::filesystem::path> currentPath() const;

  std::filesystem::path file_;
  std::optional<FileId> id_;   // nullopt: there was no file, and loss() reports nothing
  std::optional<FileId> wal_;  // SQLite never deletes a WAL that is open
};

}  // namespace batchwise
