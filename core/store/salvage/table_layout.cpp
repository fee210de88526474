// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/table_layout.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/store/database.h"
#include "core/store/schema.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr int kPageCheckBytes = 8;
std::uint64_t pageChecksum(std::span<const std::byte> page, std::int64_t number) {
  return hash128(page.first(page.size() - kPageCheckBytes)).low + static_cast<std::uint64_t>(number);
}
bool isSealed(std::span<const std::byte> page, std::int64_t number) {
  std::uint64_t stored = 0;
  std::memcpy(&stored, page.data() + page.size() - kPageCheckBytes, sizeof stored);
  return stored == pageChecksum(page, number);
}
void sealPage(std::span<std::byte> page, std::int64_t number) {
  const std::uint64_t checksum = pageChecksum(page, number);
  std::memcpy(page.data() + page.size() - kPageCheckBytes, &checksum, sizeof checksum);
}

constexpr std::size_t kPageBytes = 4096;  // of every workspace
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageCountAt = 28;  // SQLite's file format, section 1.3
// First byte of a page of a tree, section 1.6.
constexpr std::byte kInnerIndex{2}, kInnerTable{5}, kLeafIndex{10}, kLeafTable{13};

using Page = std::array<std::byte, kPageBytes>;

std::size_t number16(const Page& page, std::size_t at) {
  return std::to_integer<std::size_t>(page[at]) * 256 + std::to_integer<std::size_t>(page[at + 1]);
}

std::int64_t number32(const Page& page, std::size_t at) {
  return static_cast<std::int64_t>(number16(page, at) * 65536 + number16(page, at + 2));
}

/// A database page by page, without SQLite.
class PageFile {
 public:
  static Result<PageFile> open(const fs::path& path, int flags) {
    FileDescriptor file{::open(path.c_str(), flags | O_CLOEXEC)};
    if (!file.valid()) return Error::fromErrno(errno, "cannot open", path.native());
    return PageFile(path, std::move(file));
  }
  /// False where there is none.
  bool read(std::int64_t number, Page& page) const {
    return ::pread(file_.get(), page.data(), kPageBytes, offsetOf(number)) == static_cast<ssize_t>(kPageBytes);
  }
  bool isWhole(std::int64_t number) const {
    Page page{};
    return read(number, page) && isSealed(page, number);
  }
  Result<void> write(std::int64_t number, const Page& page) const {
    if (::pwrite(file_.get(), page.data(), kPageBytes, offsetOf(number)) == static_cast<ssize_t>(kPageBytes)) return {};
    return Error::fromErrno(errno, "cannot write", path_.native());
  }

 private:
  PageFile(fs::path path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  static off_t offsetOf(std::int64_t number) { return static_cast<off_t>(number - 1) * static_cast<off_t>(kPageBytes); }

  fs::path path_;
  FileDescriptor file_;
};

/// Where the tables of a fresh workspace begin.
struct Layout {
  std::vector<std::pair<std::int64_t, Page>> descriptions;  ///< pages of the table of tables
  std::vector<std::pair<std::int64_t, std::byte>> roots;    ///< with the kind of their first page
};

enum class MadeBy { Creation, Rewriting };

void addDescriptions(const PageFile& file, std::int64_t number, Layout& layout) {
  Page page{};
  if (!file.read(number, page)) return;
  layout.descriptions.emplace_back(number, page);
  const std::size_t at = number == 1 ? kHeaderBytes : 0;
  if (page[at] != kInnerTable) return;
  constexpr std::size_t kInnerHead = 12;
  for (std::size_t cell = 0; cell < number16(page, at + 3); ++cell)
    addDescriptions(file, number32(page, number16(page, at + kInnerHead + 2 * cell)), layout);
  addDescriptions(file, number32(page, at + 8), layout);
}

Result<Layout> layoutOf(const fs::path& fresh, MadeBy how) {
  if (auto made = createDatabase(fresh, workspaceMigrations()); !made.ok()) return made.error();
  std::vector<std::int64_t> roots;
  std::unique_ptr<SQLite::Database> database;
  auto listed = guarded(database, fresh, [&]() -> Result<void> {
    database = openDatabase(fresh, DatabaseUse::Write);
    if (how == MadeBy::Rewriting) database->exec("VACUUM");
    checkpointWal(*database, WalCheckpoint::Truncate);
    SQLite::Statement query(*database, "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0");
    while (query.executeStep()) roots.push_back(query.getColumn(0).getInt64());
    return {};
  });
  if (!listed.ok()) return listed.error();
  const auto file = PageFile::open(fresh, O_RDONLY);
  if (!file.ok()) return file.error();
  Layout layout;
  addDescriptions(*file, 1, layout);
  for (const std::int64_t root : roots) {
    Page page{};
    if (file->read(root, page)) layout.roots.emplace_back(root, page[0]);
  }
  return layout;
}

bool isOfKind(std::byte found, std::byte leaf) {
  return found == leaf || found == (leaf == kLeafTable ? kInnerTable : leaf == kLeafIndex ? kInnerIndex : leaf);
}

/// Whether the pages at which the tables should begin look like it; at least half of them must be readable.
bool fits(const PageFile& file, const Layout& layout) {
  std::size_t right = 0;
  for (const auto& [number, kind] : layout.roots) {
    Page page{};
    if (!file.read(number, page) || !isSealed(page, number)) continue;
    if (!isOfKind(page[0], kind)) return false;
    ++right;
  }
  return 2 * right >= layout.roots.size();
}

Result<void> writeDescriptions(const PageFile& file, const Layout& layout, std::int64_t pages) {
  for (auto [number, page] : layout.descriptions) {
    if (number == 1) {
      for (std::size_t i = 0; i < 4; ++i) page[kPageCountAt + i] = static_cast<std::byte>(pages >> (24 - 8 * i));
      sealPage(page, 1);
    }
    if (auto written = file.write(number, page); !written.ok()) return written;
  }
  return {};
}

}  // namespace

Result<bool> restoreDescriptions(const fs::path& copy, const fs::path& scratch) {
  const auto file = PageFile::open(copy, O_RDWR);
  if (!file.ok()) return file.error();
  std::error_code failure;
  const auto pages = static_cast<std::int64_t>((fs::file_size(copy, failure) + kPageBytes - 1) / kPageBytes);
  for (const MadeBy how : {MadeBy::Creation, MadeBy::Rewriting}) {
    const fs::path fresh = scratch / "fresh.sqlite";
    const auto layout = layoutOf(fresh, how);
    for (const char* side : {"", "-wal", "-shm"}) fs::remove(fresh.native() + side, failure);
    if (!layout.ok()) return layout.error();
    const bool damaged = std::any_of(layout->descriptions.begin(), layout->descriptions.end(),
                                     [&](const auto& page) { return !file->isWhole(page.first); });
    if (!damaged || !fits(*file, *layout)) continue;
    fs::resize_file(copy, static_cast<std::uintmax_t>(pages) * kPageBytes, failure);
    if (failure) return Error::fromErrno(failure.value(), "cannot write", copy.native());
    if (auto written = writeDescriptions(*file, *layout, pages); !written.ok()) return written.error();
    return true;
  }
  return false;
}

}  // namespace batchwise
