// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/workspace_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <system_error>

#include "core/base/folder.h"
#include "core/store/database.h"
#include "core/store/journal/journal_run.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::array kFiles{"workspace.sqlite", "workspace.sqlite-wal", "workspace.sqlite-shm",
                            "workspace.lock",   "workspace.writers",    "workspace.host",
                            "queue.lock"};
constexpr std::array kFolders{"checkpoints", "runs", kCacheFolder};
constexpr const char* kJournal = "workspace.sqlite-journal";
constexpr std::string_view kCheckpointFolder = "checkpoints/";

Result<void> checkKind(const fs::path& path, fs::file_type wanted) {
  std::error_code unknown;
  const fs::file_type type = fs::symlink_status(path, unknown).type();
  // What cannot be asked for (none) is left to whoever opens it.
  if (type == fs::file_type::not_found || type == fs::file_type::none || type == wanted) return {};
  if (type == fs::file_type::symlink) return linkNotFollowed(path);
  return Error::unsupported("'" + path.native() + "' is not a plain " +
                            (wanted == fs::file_type::directory ? "folder" : "file"));
}

/// A journal that was used up is empty or begins with a zero byte, and SQLite leaves it alone. One that belongs to a
/// database without a WAL is applied, which changes that database only, unless it names a super-journal: then it ends
/// as every journal begins (SQLite's file format, section 3).
bool isHarmless(const FileDescriptor& journal, const fs::path& database) {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::array<char, kMagic.size()> bytes{};
  if (::pread(journal.get(), bytes.data(), 1, 0) < 1 || bytes[0] == '\0') return true;
  const off_t size = ::lseek(journal.get(), 0, SEEK_END);
  const auto header = readDatabaseHeader(database);
  if (!header.ok() || !header->isDatabase || header->usesWal || size < static_cast<off_t>(bytes.size())) return false;
  const auto end = size - static_cast<off_t>(bytes.size());
  if (::pread(journal.get(), bytes.data(), bytes.size(), end) < static_cast<ssize_t>(bytes.size())) return false;
  return std::string_view(bytes.data(), bytes.size()) != kMagic;
}

Result<void> checkNoJournal(const fs::path& folder) {
  const fs::path path = folder / kJournal;
  if (auto plain = checkKind(path, fs::file_type::regular); !plain.ok()) return plain;
  std::error_code none;
  if (fs::symlink_status(path, none).type() == fs::file_type::not_found) return {};
  const auto opened = Folder::open(folder);
  if (!opened.ok()) return opened.error();
  const auto file = opened->file(kJournal, O_RDONLY);
  if (!file.ok()) return file.error().code == ErrorCode::NotFound ? Result<void>() : file.error();
  if (isHarmless(*file, folder / kDatabaseName)) return {};
  return Error::corrupt("'" + path.native() +
                        "' is a rollback journal, which a workspace never has: another program was interrupted while "
                        "it wrote there, or somebody put it there to delete files elsewhere; it was not applied. "
                        "Move it away to open the workspace without it, or open the database with the program that "
                        "left it");
}

}  // namespace

bool holdsWorkspace(const fs::path& folder) {
  std::error_code unknown;
  return fs::exists(folder / kDatabaseName, unknown) || !journalFiles(folder).empty();
}

Result<void> checkWorkspaceFolder(const fs::path& folder) {
  for (const char* name : kFiles)
    if (auto plain = checkKind(folder / name, fs::file_type::regular); !plain.ok()) return plain;
  for (const char* name : kFolders)
    if (auto plain = checkKind(folder / name, fs::file_type::directory); !plain.ok()) return plain;
  return checkNoJournal(folder);
}

Result<void> checkCheckpointPath(const std::string& file) {
  if (file.starts_with(kCheckpointFolder) && isPlainFileName(std::string_view(file).substr(kCheckpointFolder.size())))
    return {};
  return Error::corrupt("'" + file + "' is no file in the folder 'checkpoints' of the workspace");
}

Result<fs::path> findCheckpointFile(const fs::path& folder, const std::string& file) {
  if (auto fine = checkCheckpointPath(file); !fine.ok()) return fine.error();
  const auto workspace = Folder::open(folder);
  if (!workspace.ok()) return workspace.error();
  const auto inner = workspace->inner("checkpoints");
  if (!inner.ok()) return inner.error();
  const auto opened = inner->file(file.substr(kCheckpointFolder.size()), O_PATH);
  if (!opened.ok()) return opened.error();
  return folder / file;
}

}  // namespace batchwise
