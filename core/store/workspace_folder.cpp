// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/workspace_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/store/database.h"
#include "core/store/external_run.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::array kFiles{"workspace.sqlite",  "workspace.sqlite-wal", "workspace.sqlite-shm", "workspace.lock",
                            "workspace.writers", "workspace.host",       "queue.lock",           kRestoredDatabaseName};
constexpr std::array kFolders{"checkpoints", "runs", "backups", kCacheFolder, kTextsFolder, kLoggedFolder};
constexpr const char* kJournal = "workspace.sqlite-journal";
constexpr std::string_view kCheckpointFolder = "checkpoints/";

Result<void> checkKind(const fs::path& path, fs::file_type wanted) {
  std::error_code unknown;
  const fs::file_type type = fs::symlink_status(path, unknown).type();
  // The type "none" (unknown) is left to whoever opens the file.
  if (type == fs::file_type::not_found || type == fs::file_type::none || type == wanted) return {};
  if (type == fs::file_type::symlink) return symlinkError(path);
  return Error::unsupported(wanted == fs::file_type::directory ? formatText("'{}' is not a plain folder", path.native())
                                                               : notPlainFileText(path.native()));
}

/// Returns whether SQLite would ignore the journal or apply it safely. It ignores one that is empty or starts with a
/// zero byte. It applies one to a database without WAL, which changes only that database, unless the journal ends with
/// its magic bytes, that is, names a super-journal (SQLite's file format, section 3).
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
  RETURN_IF_ERROR(checkKind(path, fs::file_type::regular));
  std::error_code none;
  if (fs::symlink_status(path, none).type() == fs::file_type::not_found) return {};
  ASSIGN_OR_RETURN(const auto opened, Folder::open(folder));
  const auto file = opened.file(kJournal, O_RDONLY);
  if (!file.ok()) return file.error().code == ErrorCode::NotFound ? Result<void>() : file.error();
  if (isHarmless(*file, folder / kDatabaseName)) return {};
  return Error::corrupt(
      formatText("'{}' is a rollback journal, which a workspace never has: another program was interrupted while it "
                 "wrote there, or somebody put it there to delete files elsewhere; it was not applied. Move it away to "
                 "open the workspace without it, or open the database with the program that left it",
                 path.native()));
}

Result<void> removeFile(const Folder& workspace, const std::string& file) {
  const std::size_t slash = file.find('/');
  const std::string folder = file.substr(0, slash);
  if (slash == std::string::npos || (folder != "checkpoints" && folder != "runs" && folder != kLoggedFolder))
    return Error::corrupt(formatText("'{}' is not a file in the folder 'checkpoints', 'runs' or '{}' of the workspace",
                                     file, kLoggedFolder));
  const auto inner = workspace.inner(folder);
  if (!inner.ok()) return inner.error().code == ErrorCode::NotFound ? Result<void>() : inner.error();
  return inner->remove(file.substr(slash + 1));
}

}  // namespace

Result<void> checkNotInFile(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path at = folder; !at.empty(); at = at.parent_path()) {
    const fs::file_status found = fs::status(at, ignored);  // asked once: another program may make the folder just now
    if (fs::is_directory(found)) break;
    if (fs::exists(found))
      return Error::config(formatText("the workspace '{}' is {} file{}; name a folder", folder.native(),
                                      at == folder ? "a" : "inside the",
                                      at == folder ? "" : formatText(" '{}'", at.native())));
    if (at == at.parent_path()) break;
  }
  return {};
}

bool holdsWorkspace(const fs::path& folder) {
  std::error_code unknown;
  return fs::exists(folder / kDatabaseName, unknown) ||
         std::ranges::any_of(entriesOf(folder / kLoggedFolder), isPythonLog) || !journalFiles(folder).empty();
}

Result<void> checkWorkspaceFolder(const fs::path& folder) {
  for (const char* name : kFiles) RETURN_IF_ERROR(checkKind(folder / name, fs::file_type::regular));
  for (const char* name : kFolders) RETURN_IF_ERROR(checkKind(folder / name, fs::file_type::directory));
  return checkNoJournal(folder);
}

Result<void> checkCheckpointPath(const std::string& file) {
  if (file.starts_with(kCheckpointFolder) && isPlainFileName(std::string_view(file).substr(kCheckpointFolder.size())))
    return {};
  return Error::corrupt(formatText("'{}' is not a file in the folder 'checkpoints' of the workspace", file));
}

Result<std::int64_t> checkpointFileBytes(const fs::path& folder, const std::string& file) {
  RETURN_IF_ERROR(checkCheckpointPath(file));
  std::error_code failure;
  const auto bytes = fs::file_size(folder / file, failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot find the checkpoint file '{}'", file);
  return static_cast<std::int64_t>(bytes);
}

Result<fs::path> findCheckpointFile(const fs::path& folder, const std::string& file) {
  RETURN_IF_ERROR(checkCheckpointPath(file));
  ASSIGN_OR_RETURN(const auto workspace, Folder::open(folder));
  ASSIGN_OR_RETURN(const auto inner, workspace.inner("checkpoints"));
  ASSIGN_OR_RETURN([[maybe_unused]] const auto found, inner.file(file.substr(kCheckpointFolder.size()), O_PATH));
  return folder / file;
}

fs::path journalFile(const fs::path& folder, const std::string& id) {
  return folder / "runs" / (id + kJournalEnding);
}

fs::path slurmRequestFile(const fs::path& folder, const std::string& id) {
  return folder / "runs" / (id + ".request.json");
}

std::vector<fs::path> journalFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& entry : entriesOf(folder / "runs"))
    if (entry.extension() == kJournalEnding) files.push_back(entry);
  std::sort(files.begin(), files.end());
  return files;
}

Result<void> removeFiles(const fs::path& folder, const std::vector<std::string>& files) {
  ASSIGN_OR_RETURN(const auto workspace, Folder::open(folder));
  Result<void> done;
  for (const std::string& file : files)
    if (auto removed = removeFile(workspace, file); !removed.ok()) done = removed;
  return done;
}

bool hasRunFiles(const fs::path& folder) {
  const auto checkpoints = entriesOf(folder / "checkpoints");
  const bool some = std::any_of(checkpoints.begin(), checkpoints.end(),
                                [](const fs::path& entry) { return entry.extension() == ".sqlite"; });
  return some || !journalFiles(folder).empty();
}

std::int64_t checkpointFilesWithoutJournal(const fs::path& folder) {
  std::int64_t count = 0;
  for (const fs::path& entry : entriesOf(folder / "checkpoints")) {
    if (entry.extension() != ".sqlite") continue;
    const std::string id = entry.stem().native();
    std::error_code ignored;
    if (!fs::exists(journalFile(folder, id.substr(0, id.find('-'))), ignored)) ++count;
  }
  return count;
}

fs::path pinMarkerPath(const fs::path& folder, const std::string& file) {
  return folder / (file + ".pin");
}

bool hasPinMarker(const fs::path& folder, const std::string& file) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(pinMarkerPath(folder, file), ignored));
}

}  // namespace batchwise
