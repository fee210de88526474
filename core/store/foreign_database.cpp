// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/foreign_database.h"

#include "core/store/salvage/table_layout.h"
#include "core/store/schema.h"

namespace batchwise {
namespace fs = std::filesystem;

struct ForeignDatabase::State {
  std::optional<MemoryLimit> memory;
  std::unique_ptr<SQLite::Database> database;
  std::optional<WorkLimit> work;
  fs::path copy;  // in the scratch folder; empty if the file itself is read
  std::int32_t version = 0;
  bool descriptionsRestored = false;

  ~State() {
    work.reset();
    database.reset();
    std::error_code ignored;
    if (!copy.empty())
      for (const char* side : {"", "-wal", "-shm"}) fs::remove(copy.native() + side, ignored);
  }
};

namespace {

constexpr std::int64_t kMemoryBytes = 96 << 20;
constexpr const char* kCopyName = "workspace.sqlite.copy";

Result<DatabaseHeader> checkHeader(const fs::path& file) {
  std::error_code failure;
  const auto status = fs::status(file, failure);
  if (!fs::exists(status)) return Error::notFound("there is no file '" + file.native() + "'");
  if (!fs::is_regular_file(status)) return Error::unsupported("'" + file.native() + "' is not a plain file");
  auto header = readDatabaseHeader(file);
  if (!header.ok()) return header;
  if (!header->isDatabase) return Error::corrupt("'" + file.native() + "' does not begin as an SQLite database does");
  if (header->applicationId != kWorkspaceApplicationId)
    return Error::unsupported("'" + file.native() + "' is a database of another program (application id " +
                              std::to_string(header->applicationId) + ")");
  const std::int32_t newest = newestVersion(workspaceMigrations());
  if (header->userVersion < 1 || header->userVersion > newest)
    return Error::unsupported("'" + file.native() + "' has schema version " + std::to_string(header->userVersion) +
                              ", this program knows 1 to " + std::to_string(newest) + "; use a newer Batchwise");
  return header;
}

/// Copies file and WAL. SQLite refuses a file that is shorter than it should be, so a copy is filled up with zeros,
/// which are no valid pages; a header that asks for more than twice the file is not believed.
Result<void> copyWithWal(const fs::path& file, const DatabaseHeader& header, const fs::path& copy) {
  std::error_code failure;
  fs::copy_file(file, copy, fs::copy_options::overwrite_existing, failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot copy", file.native());
  const fs::path wal = file.native() + "-wal";
  if (fs::is_regular_file(wal, failure)) fs::copy_file(wal, copy.native() + "-wal", failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot copy", wal.native());
  fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, failure);
  const auto bytes = static_cast<std::int64_t>(fs::file_size(copy, failure));
  const std::int64_t wanted = header.pages * header.pageBytes;
  if (wanted <= bytes) return {};
  if (wanted > 2 * bytes + (1 << 20))
    return Error::corrupt("'" + file.native() + "' says that it has " + std::to_string(header.pages) + " pages of " +
                          std::to_string(header.pageBytes) + " bytes, but the file has only " + std::to_string(bytes) +
                          " bytes");
  fs::resize_file(copy, static_cast<std::uintmax_t>(wanted), failure);
  if (failure) return Error::fromErrno(failure.value(), "cannot write", copy.native());
  return {};
}

bool needsCopy(const fs::path& file, const DatabaseHeader& header) {
  std::error_code failure;
  const auto walBytes = fs::file_size(file.native() + "-wal", failure);
  if (!failure && walBytes > 0) return true;
  return static_cast<std::int64_t>(fs::file_size(file, failure)) < header.pages * header.pageBytes;
}

}  // namespace

ForeignDatabase::ForeignDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}
ForeignDatabase::ForeignDatabase(ForeignDatabase&&) noexcept = default;
ForeignDatabase& ForeignDatabase::operator=(ForeignDatabase&&) noexcept = default;
ForeignDatabase::~ForeignDatabase() = default;

SQLite::Database& ForeignDatabase::database() const {
  return *state_->database;
}
std::int32_t ForeignDatabase::version() const {
  return state_->version;
}
bool ForeignDatabase::descriptionsRestored() const {
  return state_->descriptionsRestored;
}

Result<ForeignDatabase> ForeignDatabase::open(const fs::path& file, const fs::path& scratch) {
  auto opened = openAsItIs(file, scratch);
  if (opened.ok() || opened.error().code == ErrorCode::NotFound) return opened;
  auto restored = openRestored(file, scratch);
  return restored.ok() ? std::move(restored) : std::move(opened);
}

Result<ForeignDatabase> ForeignDatabase::openAsItIs(const fs::path& file, const fs::path& scratch) {
  const auto header = checkHeader(file);
  if (!header.ok()) return header.error();
  auto state = std::make_unique<State>();
  state->version = header->userVersion;
  if (needsCopy(file, *header)) {
    state->copy = scratch / kCopyName;
    if (auto done = copyWithWal(file, *header, state->copy); !done.ok()) return done.error();
  }
  return connect(file, std::move(state));
}

Result<ForeignDatabase> ForeignDatabase::openRestored(const fs::path& file, const fs::path& scratch) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return Error::unsupported("'" + file.native() + "' is not a plain file");
  auto state = std::make_unique<State>();
  state->version = newestVersion(workspaceMigrations());
  state->descriptionsRestored = true;
  state->copy = scratch / kCopyName;
  if (auto done = copyWithWal(file, {}, state->copy); !done.ok()) return done.error();
  const auto restored = restoreDescriptions(state->copy, scratch);
  if (!restored.ok()) return restored.error();
  if (!*restored) return Error::corrupt("'" + file.native() + "' is not a damaged workspace");
  return connect(file, std::move(state));
}

Result<ForeignDatabase> ForeignDatabase::connect(const fs::path& file, std::unique_ptr<State> state) {
  const fs::path& read = state->copy.empty() ? file : state->copy;
  state->memory.emplace(kMemoryBytes);
  std::error_code failure;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(read, failure));
  auto opened = guarded(state->database, file, [&]() -> Result<void> {
    state->database = openDatabase(read, state->copy.empty() ? DatabaseUse::ReadFixed : DatabaseUse::Read);
    hardenAgainstContent(*state->database, kForeignValueBytes);
    state->work.emplace(*state->database, stepsForFile(bytes));
    return checkSchema(*state->database, file, state->version);
  });
  if (!opened.ok()) return opened.error();
  return ForeignDatabase(std::move(state));
}

}  // namespace batchwise
