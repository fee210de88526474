// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace batchwise {

/// Bytes at the end of each page of a workspace database that hold the page's checksum. SQLite leaves them alone, so
/// any program can read the file; one that writes it without this leaves pages that fail their check.
constexpr int kPageCheckBytes = 8;

/// A file control of that VFS: a bool, whether a page of the file has failed its check since it was opened. SQLite does
/// not always pass on which I/O error it met.
constexpr int kPageCheckFailed = 0x42745001;

/// Name of the SQLite VFS that writes and checks them, made from the default one at the first call that
/// succeeds. It only concerns database files whose header reserves just 8 bytes per page: their pages are checked
/// whenever they are read from the file (a page that fails is SQLITE_IOERR_DATA) and sealed whenever they are written
/// to it. Journals have checksums of their own. Any thread. Throws SQLite::Exception.
const char* checkedVfsName();

// For those who must look at a damaged file page by page. `number` counts pages from 1.
bool isSealed(std::span<const std::byte> page, std::int64_t number);
void sealPage(std::span<std::byte> page, std::int64_t number);

}  // namespace batchwise
