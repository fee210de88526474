// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"

namespace batchwise {

/// The file of a store that this process has open, as its path led to it when this was made. Asks for the identity of
/// files alone: it opens nothing, which would cost the process its locks. A value; any thread.
class StorePresence {
 public:
  /// `file`: the database of a workspace, or a journal.
  explicit StorePresence(std::filesystem::path file);

  /// Nothing while the path leads to that file. Else NotFound with what has happened to it: what is written goes
  /// elsewhere, or nowhere.
  std::optional<Error> loss() const;
  /// What this process writes into the file still arrives somewhere: it was moved, not deleted.
  bool arrives() const { return arrivesAt().has_value(); }

 private:
  std::optional<std::filesystem::path> arrivesAt() const;

  std::filesystem::path file_;
  std::uint64_t device_ = 0, inode_ = 0;  // 0: there was none, and nothing is said
  std::optional<FileId> wal_;             // SQLite removes none that somebody has open
};

}  // namespace batchwise
