// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/sqlite_recovery.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/database.h"
#include "core/store/salvage/limited_process.h"
#include "core/store/salvage/page_one.h"
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

/// Beside this program, wherever it was started.
Result<fs::path> extensionFile() {
  std::error_code failed;
  const fs::path file = fs::read_symlink("/proc/self/exe", failed).parent_path() / kExtension;
  if (!failed && fs::is_regular_file(file, failed)) return file;
  return Error::unsupported("salvage needs the file '" + file.native() +
                            "', which is not there; install or build all of Batchwise again");
}

/// The command of the program `sqlite3`, which reads what stands in double quotes as C does.
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

/// What the finder writes before and after `.recover`: how many pages there are, which shows that the extension works,
/// and how many rows were too large.
constexpr const char* kPagesQuery = "SELECT 'pages ' || count(*) || ';' FROM sqlite_dbpage";
constexpr const char* kLeftOutQuery = "SELECT rows_left_out()";
constexpr std::string_view kPages = "pages ";

/// The number at the start of `text`, 0 if there is none.
std::int64_t numberIn(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Passes on what `.recover` writes, statement by statement: the table lost_and_found as it makes it, and rows of it
/// that hold nothing but literals. Whatever else there is, of our own empty schema or of somebody's making, is left
/// out.
class RowFilter {
 public:
  /// Adds a piece of the output; appends what may go on to `passed`.
  void add(std::string_view piece, std::string& passed) {
    for (const char c : piece) {
      if (c == '\'') inText_ = !inText_;  // one that is doubled turns twice
      const bool plain = inText_ || c == '\'' || kLiteral.find(c) != std::string_view::npos;
      literals_ = literals_ && (plain || c == ';' || statement_.size() < kRow.size());
      if (c == '\r' && inText_) {
        statement_ += "'||char(13)||'";  // the reader takes "\r\n" for the end of a line
      } else if (statement_.size() < kLongest && !(statement_.empty() && c == '\n')) {
        statement_.push_back(c);
      }
      if (c == ';' && !inText_) endStatement(passed);
    }
  }
  bool foundRows() const { return foundRows_; }
  /// Of the database; 0: the finder could not read them.
  std::int64_t pages() const { return pages_; }
  /// That of the last row.
  std::int64_t page() const { return page_; }
  /// Rows that were too large, for the finder or here; once everything has been added.
  std::int64_t leftOut() const { return tooLong_ + (inText_ ? 0 : numberIn(statement_)); }

 private:
  static constexpr std::string_view kLiteral = "0123456789+-.,()eEXNUL \n";
  static constexpr std::string_view kRow = "INSERT INTO lost_and_found VALUES(";
  static constexpr std::string_view kTable =
      "CREATE TABLE lost_and_found(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER";
  static constexpr std::size_t kLongest = 16 << 20;  // a row of 4 MiB, the largest one found, is shorter

  void endStatement(std::string& passed) {
    const bool looksLikeRow = statement_.starts_with(kRow);
    const bool isRow = looksLikeRow && literals_ && statement_.size() < kLongest;
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

/// Two processes with a filter between them.
class Recovery {
 public:
  Recovery(const fs::path& scratch, std::int64_t bytes, const PagesSearched& progress, const std::stop_token& stop)
      : scratch_(scratch), limits_(limitsFor(bytes)), progress_(progress), stop_(stop) {}

  Result<void> run(const std::vector<std::string>& words) {
    auto process = LimitedProcess::start(words, scratch_, limits_);
    if (!process.ok()) return Error{ErrorCode::Io, process.error().message, {}};
    const auto ended = process->wait(deadline_, stop_);
    if (!ended.ok()) return ended.error();
    return *ended == ProcessEnd::Well ? Result<void>{} : Error{ErrorCode::Io, "'" + words.front() + "' failed", {}};
  }

  /// Rows that were too large, as far as that was told.
  std::int64_t leftOut() const { return filter_.leftOut(); }

  Result<SearchEnd> recover() {
    const auto extension = extensionFile();
    if (!extension.ok()) return extension.error();
    std::array<int, 2> rows{}, output{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, rows.data()) != 0)
      return Error::fromErrno(errno, "cannot make", "a pipe");
    toLoader_ = FileDescriptor(rows[0]);
    FileDescriptor loaderIn(rows[1]);
    if (::pipe2(output.data(), O_CLOEXEC) != 0) return Error::fromErrno(errno, "cannot make", "a pipe");
    const FileDescriptor found(output[0]);
    FileDescriptor finderOut(output[1]);
    auto finder =
        LimitedProcess::start({kProgram, "-init", "/dev/null", "-batch", "-readonly", kCopy, loadCommand(*extension),
                               kPagesQuery, ".recover --ignore-freelist", kLeftOutQuery},
                              scratch_, limits_, -1, finderOut.get());
    if (!finder.ok()) return missing(finder.error());
    finderOut = FileDescriptor();
    auto loader = LimitedProcess::start({kProgram, "-init", "/dev/null", "-batch", "-safe", kRows}, scratch_, limits_,
                                        loaderIn.get());
    if (!loader.ok()) return missing(loader.error());
    loaderIn = FileDescriptor();
    if (auto passed = passOn(found); !passed.ok()) return passed.error();
    toLoader_ = FileDescriptor();
    const auto searched = finder->wait(deadline_, stop_);
    if (!searched.ok()) return searched.error();
    const auto loaded = loader->wait(deadline_, stop_);
    if (!loaded.ok()) return loaded.error();
    if (filter_.pages() == 0 && *searched != ProcessEnd::BySignal) return cannotLoad(*extension);
    if (!filter_.foundRows() && *searched != ProcessEnd::Well)
      return Error::corrupt("the search for rows ended early and found none");
    if (*searched == ProcessEnd::BySignal || *loaded == ProcessEnd::BySignal) return SearchEnd::Early;
    const bool well = *searched == ProcessEnd::Well && *loaded == ProcessEnd::Well;
    return well ? SearchEnd::Whole : SearchEnd::Doubtful;
  }

 private:
  static Error missing(const Error& why) {
    if (why.code != ErrorCode::NotFound) return why;
    return Error::unsupported(
        "salvage needs the program `sqlite3`, which is not there; install the package sqlite3 (Debian: `apt install "
        "sqlite3`)");
  }

  /// Without the extension there is nothing to find.
  static Error cannotLoad(const fs::path& extension) {
    return Error::unsupported("the program `sqlite3` cannot load '" + extension.native() +
                              "'; it must be one that takes extensions, as that of Debian's package sqlite3");
  }

  /// What the finder found until its end, or until it was ended: a part is better than nothing.
  Result<void> passOn(const FileDescriptor& found) {
    std::vector<char> buffer(kMebi);
    std::string passed = "PRAGMA journal_mode=OFF;\nPRAGMA synchronous=OFF;\nBEGIN;\n";
    while (true) {
      if (stop_.stop_requested()) return Error{ErrorCode::Stopped, "canceled", {}};
      if (SteadyClock::now() > deadline_) break;
      pollfd readable{found.get(), POLLIN, 0};
      if (::poll(&readable, 1, 100) == 0) continue;
      const ssize_t got = ::read(found.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      filter_.add({buffer.data(), static_cast<std::size_t>(got)}, passed);
      if (auto sent = send(passed); !sent.ok()) return sent;
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
      if (sent < 0) return Error::corrupt("the rows of the file are more than one of its size can hold");
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

Result<void> checkPageOne(const PageOne& said, const fs::path& source) {
  if (!said.isDatabase) return {};
  if (said.applicationId != kWorkspaceApplicationId)
    return Error::unsupported("'" + source.native() + "' is a database of another program (application id " +
                              std::to_string(said.applicationId) + ")");
  const std::int32_t newest = newestVersion(workspaceMigrations());
  if (said.version < 1 || said.version > newest)
    return Error::unsupported("'" + source.native() + "' has schema version " + std::to_string(said.version) +
                              ", this program knows 1 to " + std::to_string(newest) + "; use a newer Batchwise");
  return {};
}

Result<std::int64_t> sizeOfPlainFile(const fs::path& file) {
  std::error_code failure;
  const auto status = fs::status(file, failure);
  if (!fs::exists(status)) return Error::notFound("there is no file '" + file.native() + "'");
  if (!fs::is_regular_file(status)) return Error::unsupported("'" + file.native() + "' is not a plain file");
  return static_cast<std::int64_t>(fs::file_size(file, failure));
}

Result<void> checkRoom(const fs::path& scratch, std::int64_t bytes) {
  const auto room = freeBytes(scratch);
  if (!room.ok()) return room.error();
  const std::int64_t needed = 3 * bytes + kMebi;  // the copy, what is found in it, and the new workspace
  if (*room >= needed) return {};
  return Error{ErrorCode::DiskFull,
               "a salvage needs " + formatBytes(needed) + ", '" + scratch.parent_path().parent_path().native() +
                   "' has " + formatBytes(*room) + " free; free some space or name a folder on another disk",
               {}};
}

}  // namespace

Result<FoundRows> findRows(const fs::path& source, const fs::path& scratch, SourceWal wal,
                           const PagesSearched& progress, const std::stop_token& stop) {
  const auto size = sizeOfPlainFile(source);
  if (!size.ok()) return size.error();
  const fs::path log = walOf(source);
  const auto walSize = wal == SourceWal::TakeIn ? sizeOfPlainFile(log) : Result<std::int64_t>(0);
  const bool hasWal = walSize.ok() && *walSize > 0;
  const std::int64_t bytes = *size + (hasWal ? *walSize : 0);
  if (auto room = checkRoom(scratch, bytes); !room.ok()) return room.error();
  Recovery recovery(scratch, bytes, progress, stop);
  // By another process: a descriptor of ours on the database would, when closed, drop the locks of this process.
  if (auto copied = recovery.run({"cp", "--", source.native(), kCopy}); !copied.ok())
    return copied.error().within("copying '" + source.native() + "'");
  const bool taken =
      hasWal && recovery.run({"cp", "--", log.native(), std::string(kCopy) + "-wal"}).ok() &&
      recovery.run({kProgram, "-init", "/dev/null", "-batch", kCopy, "PRAGMA wal_checkpoint(TRUNCATE)"}).ok();
  std::error_code ignored;
  for (const char* side : {"-wal", "-shm", "-journal"}) fs::remove(scratch / (std::string(kCopy) + side), ignored);
  fs::permissions(scratch / kCopy, fs::perms::owner_read | fs::perms::owner_write, ignored);
  const auto merged = sizeOfPlainFile(scratch / kCopy);
  if (!merged.ok()) return merged.error();
  const auto said = replacePageOne(scratch / kCopy);
  if (!said.ok()) return said.error();
  if (auto ours = checkPageOne(*said, source); !ours.ok()) return ours.error();
  const auto end = recovery.recover();
  if (!end.ok()) return end.error();
  fs::remove(scratch / kCopy, ignored);
  return FoundRows{scratch / kRows,     said->version, !said->isDatabase, hasWal && !taken,
                   *merged < *size / 2, *end,          recovery.leftOut()};
}

}  // namespace batchwise
