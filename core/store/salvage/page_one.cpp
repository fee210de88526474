// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/page_one.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/store/database.h"
#include "core/store/messages.h"

namespace batchwise {
namespace {

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

}  // namespace

Result<PageOne> replacePageOne(const std::filesystem::path& copy) {
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

}  // namespace batchwise
