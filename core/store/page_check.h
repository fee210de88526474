// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace batchwise {

/// Bytes at the end of each page of a workspace database that hold the page's checksum. SQLite leaves them alone, so any
/// program can read the file; one that writes it without this leaves pages that fail their check.
constexpr int kPageCheckBytes = 8;

/// Name of the SQLite VFS that writes and checks them, made from the default one at the first call. It only concerns
/// database files whose header reserves just 8 bytes per page: their pages are checked whenever they are read from the
/// file (a page that fails is SQLITE_IOERR_DATA) and sealed whenever they are written to it. Journals have checksums of
/// their own. Any thread. Throws SQLite::Exception.
const char* checkedVfsName();

}  // namespace batchwise
