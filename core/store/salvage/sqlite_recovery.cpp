// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/sqlite_recovery.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/store/database.h"
#include "core/store/messages.h"
#include "core/store/salvage/limited_process.h"
#include "core/store/schema.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr const char* kProgram = "sqlite3";
constexpr const char* kCopy = "source.sqlite";
constexpr const char* kRows = "rows.sqlite";
constexpr const char* kExtension = "libbatchwise_dbpage.so";
constexpr std::int64_t kMebi = 1 << 20;

/// The extension is installed beside this program's executable.
Result<fs::path> extensionFile() {
  std::error_code failed;
  const fs::path file = fs::read_symlink("/proc/self/exe", failed).parent_path() / kExtension;
  if (!failed && fs::is_regular_file(file, failed)) return file;
  return Error::unsupported(messages::salvageComponentMissing(file.native()));
}

/// Quotes the path as sqlite3's dot-commands expect it: backslash escapes as in C.
std::string loadCommand(const fs::path& extension) {
  std::string command = ".load \"";
  for (const char c : extension.native()) {
    if (c == '"' || c == '\\') command.push_back('\\');
    command.push_back(c);
  }
  return command + "\"";
}

ProcessLimits limitsFor(std::int64_t bytes) {
  return {.cpuSec = 4 + bytes / kMebi, .memoryBytes = 400 * kMebi, .fileBytes = 64 * kMebi + 8 * bytes};
}

/// Queries of the finder before and after `.recover`: the number of pages, which also shows that the extension works,
/// and the number of rows that were too large.
constexpr const char* kPagesQuery = "SELECT 'pages ' || count(*) || ';' FROM sqlite_dbpage";
constexpr const char* kSkippedRowsQuery = "SELECT rows_left_out()";
constexpr std::string_view kPages = "pages ";

/// Returns the number at the start of `text`, or 0.
std::int64_t numberIn(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Offsets and meanings: SQLite's file format, sections 1.3 and 1.6
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageSizeAt = 16;
constexpr std::size_t kReservedAt = 20;
constexpr std::size_t kFreePagesAt = 32;  // first free page, number of free pages
constexpr std::size_t kVersionAt = 60;
constexpr std::size_t kApplicationAt = 68;
constexpr std::int64_t kWorkspacePageBytes = 4096;
constexpr std::size_t kPageCheckBytes = 8;  // in version 2 of a workspace

std::uint32_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

void put(std::span<std::byte> bytes, std::size_t at, std::size_t count, std::uint32_t value) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * (count - 1 - i)));
}

struct Layout {
  std::int64_t pageBytes = kWorkspacePageBytes;
  std::uint32_t reserved = 0, firstFree = 0, freePages = 0;
};

/// Detects pages of version 2, which end with a checksum in reserved bytes, by their checksums.
std::uint32_t reservedBytesOf(const FileDescriptor& file, std::int64_t pages) {
  constexpr std::int64_t kEnough = 100;
  std::vector<std::byte> page(static_cast<std::size_t>(kWorkspacePageBytes));
  for (std::int64_t number = 2; number <= std::min(pages, kEnough); ++number) {
    if (::pread(file.get(), page.data(), page.size(), (number - 1) * kWorkspacePageBytes) != kWorkspacePageBytes) break;
    std::uint64_t stored = 0;
    std::memcpy(&stored, &page[page.size() - kPageCheckBytes], sizeof stored);
    const auto content = std::span(page).first(page.size() - kPageCheckBytes);
    if (stored == hash128(content).low + static_cast<std::uint64_t>(number)) return kPageCheckBytes;
  }
  return 0;
}

std::vector<std::byte> emptyPageOne(const Layout& layout, std::int64_t pages) {
  std::vector<std::byte> page(static_cast<std::size_t>(layout.pageBytes));
  std::memcpy(page.data(), "SQLite format 3", 16);
  put(page, kPageSizeAt, 2, layout.pageBytes == 65536 ? 1 : static_cast<std::uint32_t>(layout.pageBytes));
  put(page, 18, 2, 0x0101);  // read and write versions: rollback journal
  put(page, kReservedAt, 1, layout.reserved);
  put(page, 21, 3, 0x40'2020);  // fixed by the format
  put(page, 28, 4, static_cast<std::uint32_t>(pages));
  put(page, kFreePagesAt, 4, layout.firstFree);
  put(page, kFreePagesAt + 4, 4, layout.freePages);
  put(page, 40, 4, 1);  // schema cookie
  put(page, 44, 4, 4);  // schema format
  put(page, 56, 4, 1);  // UTF-8
  put(page, kApplicationAt, 4, static_cast<std::uint32_t>(kWorkspaceApplicationId));
  put(page, 96, 4, 3'040'001);
  put(page, kHeaderBytes, 1, 0x0D);  // a leaf page without rows
  put(page, kHeaderBytes + 5, 2, static_cast<std::uint32_t>(layout.pageBytes) - layout.reserved);
  return page;
}

/// Header fields of the first page of a database, as far as it is one.
struct PageOne {
  bool isDatabase = false;
  std::int32_t applicationId = 0;
  std::int32_t version = 0;
};

/// Replaces the first page of `copy`, a private copy of a database, with one that describes no table. Keeps page size,
/// reserved bytes and free list if the header is readable; otherwise uses those of a workspace. Returns the previous
/// header fields. Fails with Io or DiskFull, or with Corrupt if there is no second page.
Result<PageOne> replacePageOne(const fs::path& copy) {
  const FileDescriptor file{::open(copy.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  if (!file.valid()) return Error::fromErrno(errno, messages::cannotOpen, copy.native());
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::vector<std::byte> header(kHeaderBytes);
  const ssize_t got = ::pread(file.get(), header.data(), header.size(), 0);
  if (size < 0 || got < 0) return Error::fromErrno(errno, messages::cannotRead, copy.native());
  PageOne original;
  Layout layout;
  const std::uint32_t stated = number(header, kPageSizeAt, 2);
  const std::int64_t pageBytes = stated == 1 ? 65536 : stated;
  const bool possible = pageBytes >= 512 && (pageBytes & (pageBytes - 1)) == 0;
  original.isDatabase =
      got == static_cast<ssize_t>(kHeaderBytes) && std::memcmp(header.data(), "SQLite format 3", 16) == 0;
  if (original.isDatabase) {
    original.applicationId = static_cast<std::int32_t>(number(header, kApplicationAt, 4));
    original.version = static_cast<std::int32_t>(number(header, kVersionAt, 4));
  }
  if (original.isDatabase && possible && number(header, kReservedAt, 1) <= 32)
    layout = {pageBytes, number(header, kReservedAt, 1), number(header, kFreePagesAt, 4),
              number(header, kFreePagesAt + 4, 4)};
  const std::int64_t pages = (size + layout.pageBytes - 1) / layout.pageBytes;
  if (pages < 2) return Error::corrupt(messages::salvagedCopyHasNoTable(copy.native()));
  if (!original.isDatabase || !possible) layout.reserved = reservedBytesOf(file, pages);
  const auto page = emptyPageOne(layout, pages);
  if (::pwrite(file.get(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size()))
    return Error::fromErrno(errno, messages::cannotWrite, copy.native());
  return original;
}

/// Filters the output of `.recover` statement by statement: passes the creation of lost_and_found and inserts into it
/// that contain only literals. Drops everything else, whether from our empty schema or made to do harm.
class RowFilter {
 public:
  /// Adds a piece of the output; appends accepted statements to `passed`.
  void add(std::string_view piece, std::string& passed) {
    for (const char c : piece) {
      if (c == '\'') inText_ = !inText_;  // a doubled quote toggles twice
      const bool plain = inText_ || c == '\'' || kLiteral.find(c) != std::string_view::npos;
      literals_ = literals_ && (plain || c == ';' || statement_.size() < kRow.size());
      if (c == '\r' && inText_) {
        statement_ += "'||char(13)||'";  // the reader would take "\r\n" as a line end
      } else if (statement_.size() < kMaxStatementBytes && !(statement_.empty() && c == '\n')) {
        statement_.push_back(c);
      }
      if (c == ';' && !inText_) endStatement(passed);
    }
  }
  bool foundRows() const { return foundRows_; }
  /// Returns the number of pages of the database; 0 if the finder could not read them.
  std::int64_t pages() const { return pages_; }
  /// Returns the page of the last row.
  std::int64_t page() const { return page_; }
  /// Returns the number of rows that were too large, for the finder or this filter. Call after the last add().
  std::int64_t skippedRows() const { return tooLong_ + (inText_ ? 0 : numberIn(statement_)); }

 private:
  static constexpr std::string_view kLiteral = "0123456789+-.,()eEXNUL \n";
  static constexpr std::string_view kRow = "INSERT INTO lost_and_found VALUES(";
  static constexpr std::string_view kTable =
      "CREATE TABLE lost_and_found(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER";
  static constexpr std::size_t kMaxStatementBytes = 16 << 20;  // longer than a row of 4 MiB, the largest one found

  void endStatement(std::string& passed) {
    const bool looksLikeRow = statement_.starts_with(kRow);
    const bool isRow = looksLikeRow && literals_ && statement_.size() < kMaxStatementBytes;
    if (looksLikeRow && !isRow) ++tooLong_;
    if (isRow) page_ = numberIn(std::string_view(statement_).substr(statement_.find(',', kRow.size()) + 2));
    if (pages_ == 0 && statement_.starts_with(kPages)) pages_ = numberIn(statement_.substr(kPages.size()));
    foundRows_ = foundRows_ || isRow;
    if (isRow || isTable()) passed.append(statement_).push_back('\n');
    statement_.clear();
    literals_ = true;
  }
  bool isTable() const {
    if (!statement_.starts_with(kTable)) return false;
    std::string expected{kTable};
    for (int column = 0; expected.size() + 2 < statement_.size(); ++column)
      expected.append(", c").append(std::to_string(column));
    return statement_ == expected + ");";
  }

  std::string statement_;
  bool inText_ = false;
  bool literals_ = true;
  bool foundRows_ = false;
  std::int64_t pages_ = 0, page_ = 0, tooLong_ = 0;
};

/// Connects the finder (`.recover`) to the loader through a RowFilter.
class Recovery {
 public:
  Recovery(const fs::path& scratch, std::int64_t bytes, const PagesSearched& progress, const std::stop_token& stop)
      : scratch_(scratch), limits_(limitsFor(bytes)), progress_(progress), stop_(stop) {}

  Result<void> run(const std::vector<std::string>& argv) {
    auto process = LimitedProcess::start(argv, scratch_, limits_);
    if (!process.ok()) return Error{ErrorCode::Io, process.error().message, {}};
    ASSIGN_OR_RETURN(const auto ended, process->wait(deadline_, stop_));
    return ended == ProcessOutcome::Success ? Result<void>{}
                                            : Error{ErrorCode::Io, messages::salvageCommandFailed(argv.front()), {}};
  }

  /// Returns the number of rows that were too large, as far as reported.
  std::int64_t skippedRows() const { return filter_.skippedRows(); }

  Result<SearchEnd> recover() {
    ASSIGN_OR_RETURN(const auto extension, extensionFile());
    std::array<int, 2> rows{}, output{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, rows.data()) != 0)
      return Error::fromErrno(errno, messages::cannotMake, "a pipe");
    toLoader_ = FileDescriptor(rows[0]);
    FileDescriptor loaderIn(rows[1]);
    if (::pipe2(output.data(), O_CLOEXEC) != 0) return Error::fromErrno(errno, messages::cannotMake, "a pipe");
    const FileDescriptor found(output[0]);
    FileDescriptor finderOut(output[1]);
    auto finder =
        LimitedProcess::start({kProgram, "-init", "/dev/null", "-batch", "-readonly", kCopy, loadCommand(extension),
                               kPagesQuery, ".recover --ignore-freelist", kSkippedRowsQuery},
                              scratch_, limits_, -1, finderOut.get());
    if (!finder.ok()) return missing(finder.error());
    finderOut = FileDescriptor();
    auto loader = LimitedProcess::start({kProgram, "-init", "/dev/null", "-batch", "-safe", kRows}, scratch_, limits_,
                                        loaderIn.get());
    if (!loader.ok()) return missing(loader.error());
    loaderIn = FileDescriptor();
    RETURN_IF_ERROR(forwardRows(found));
    toLoader_ = FileDescriptor();
    ASSIGN_OR_RETURN(const auto searched, finder->wait(deadline_, stop_));
    ASSIGN_OR_RETURN(const auto loaded, loader->wait(deadline_, stop_));
    if (filter_.pages() == 0 && searched != ProcessOutcome::Signal) return cannotLoad(extension);
    if (!filter_.foundRows() && searched != ProcessOutcome::Success)
      return Error::corrupt(messages::salvageSearchEndedEmpty());
    if (searched == ProcessOutcome::Signal || loaded == ProcessOutcome::Signal) return SearchEnd::Early;
    const bool well = searched == ProcessOutcome::Success && loaded == ProcessOutcome::Success;
    return well ? SearchEnd::Complete : SearchEnd::Uncertain;
  }

 private:
  static Error missing(const Error& why) {
    if (why.code != ErrorCode::NotFound) return why;
    return Error::unsupported(messages::salvageNeedsSqliteProgram());
  }

  /// Without the extension `.recover` finds nothing.
  static Error cannotLoad(const fs::path& extension) {
    return Error::unsupported(messages::sqliteCannotLoadExtension(extension.native()));
  }

  /// Forwards rows until the finder ends or is stopped at the deadline: partial results are kept.
  Result<void> forwardRows(const FileDescriptor& found) {
    std::vector<char> buffer(kMebi);
    std::string passed = "PRAGMA journal_mode=OFF;\nPRAGMA synchronous=OFF;\nBEGIN;\n";
    while (true) {
      if (stop_.stop_requested()) return Error{ErrorCode::Stopped, messages::storeWorkCanceled(), {}};
      if (SteadyClock::now() > deadline_) break;
      pollfd readable{found.get(), POLLIN, 0};
      if (::poll(&readable, 1, 100) == 0) continue;
      const ssize_t got = ::read(found.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      filter_.add({buffer.data(), static_cast<std::size_t>(got)}, passed);
      RETURN_IF_ERROR(send(passed));
      if (progress_) progress_(filter_.page(), filter_.pages());
    }
    passed += "CREATE INDEX by_size ON lost_and_found(nfield);\nCOMMIT;\n";
    return send(passed);
  }

  Result<void> send(std::string& bytes) {
    std::string_view left = bytes;
    while (!left.empty()) {
      const ssize_t sent = ::send(toLoader_.get(), left.data(), left.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return Error::corrupt(messages::salvageRowsExceedFileSize());
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
    bytes.clear();
    return {};
  }

  const fs::path& scratch_;
  const ProcessLimits limits_;
  const PagesSearched& progress_;
  const std::stop_token& stop_;
  const SteadyClock::time_point deadline_ = SteadyClock::now() + std::chrono::seconds(4 * limits_.cpuSec);
  FileDescriptor toLoader_;
  RowFilter filter_;
};

Result<void> checkPageOne(const PageOne& original, const fs::path& source) {
  if (!original.isDatabase) return {};
  if (original.applicationId != kWorkspaceApplicationId)
    return Error::unsupported(messages::salvageSourceFromOtherProgram(source.native(), original.applicationId));
  const std::int32_t newest = newestVersion(workspaceMigrations());
  if (original.version < 1 || original.version > newest)
    return Error::unsupported(messages::salvageSchemaTooNew(source.native(), original.version, newest));
  return {};
}

Result<std::int64_t> sizeOfPlainFile(const fs::path& file) {
  std::error_code failure;
  const auto status = fs::status(file, failure);
  if (!fs::exists(status)) return Error::notFound(messages::salvageSourceNotFound(file.native()));
  if (!fs::is_regular_file(status)) return Error::unsupported(messages::notPlainFile(file.native()));
  return static_cast<std::int64_t>(fs::file_size(file, failure));
}

Result<void> checkFreeSpace(const fs::path& scratch, std::int64_t bytes) {
  ASSIGN_OR_RETURN(const auto room, freeBytes(scratch));
  const std::int64_t needed = 3 * bytes + kMebi;  // the copy, the rows found in it, and the new workspace
  if (room >= needed) return {};
  return Error{ErrorCode::DiskFull,
               messages::salvageNeedsDiskSpace(needed, scratch.parent_path().parent_path().native(), room),
               {}};
}

}  // namespace

Result<FoundRows> findRows(const fs::path& source, const fs::path& scratch, SourceWal wal,
                           const PagesSearched& progress, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const auto size, sizeOfPlainFile(source));
  const fs::path log = walOf(source);
  const auto walSize = wal == SourceWal::Apply ? sizeOfPlainFile(log) : Result<std::int64_t>(0);
  const bool hasWal = walSize.ok() && *walSize > 0;
  const std::int64_t bytes = size + (hasWal ? *walSize : 0);
  RETURN_IF_ERROR(checkFreeSpace(scratch, bytes));
  Recovery recovery(scratch, bytes, progress, stop);
  // Copied by a child process: closing our own descriptor would drop the POSIX locks of this process.
  if (auto copied = recovery.run({"cp", "--", source.native(), kCopy}); !copied.ok())
    return copied.error().within(messages::salvageCopyContext(source.native()));
  const bool taken =
      hasWal && recovery.run({"cp", "--", log.native(), std::string(kCopy) + "-wal"}).ok() &&
      recovery.run({kProgram, "-init", "/dev/null", "-batch", kCopy, "PRAGMA wal_checkpoint(TRUNCATE)"}).ok();
  std::error_code ignored;
  for (const char* side : {"-wal", "-shm", "-journal"}) fs::remove(scratch / (std::string(kCopy) + side), ignored);
  fs::permissions(scratch / kCopy, fs::perms::owner_read | fs::perms::owner_write, ignored);
  ASSIGN_OR_RETURN(const auto merged, sizeOfPlainFile(scratch / kCopy));
  const auto original = replacePageOne(scratch / kCopy);
  if (!original.ok()) return original.error();
  RETURN_IF_ERROR(checkPageOne(*original, source));
  ASSIGN_OR_RETURN(const auto end, recovery.recover());
  fs::remove(scratch / kCopy, ignored);
  return FoundRows{scratch / kRows,       original->version, !original->isDatabase,
                   hasWal && !taken,      merged < size / 2, end,
                   recovery.skippedRows()};
}

}  // namespace batchwise
