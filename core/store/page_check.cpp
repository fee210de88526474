// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/page_check.h"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "core/base/hash.h"

namespace batchwise {
namespace {

constexpr const char* kVfsName = "batchwise";
constexpr int kSmallestPage = 512;
constexpr int kLargestPage = 65'536;
constexpr int kReservedAt = 20;  // offset of "reserved bytes per page": SQLite's file format, section 1.3

/// What SQLite holds for an open database; the file of the VFS below lies directly behind it.
struct CheckedFile {
  sqlite3_file base;
  bool sealed;  // the header said that pages carry checksums
  bool failed;  // a page did not have the one it should have
};

sqlite3_vfs* below(sqlite3_vfs* vfs) {
  return static_cast<sqlite3_vfs*>(vfs->pAppData);
}
sqlite3_file* below(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<CheckedFile*>(file) + 1);
}
bool& sealed(sqlite3_file* file) {
  return reinterpret_cast<CheckedFile*>(file)->sealed;
}
bool& failed(sqlite3_file* file) {
  return reinterpret_cast<CheckedFile*>(file)->failed;
}

void noteHeader(sqlite3_file* file, const std::byte* bytes, int count, sqlite3_int64 offset) {
  if (offset != 0 || count <= kReservedAt || std::memcmp(bytes, "SQLite format 3", 16) != 0) return;
  sealed(file) = std::to_integer<int>(bytes[kReservedAt]) == kPageCheckBytes;
}

bool isPage(sqlite3_file* file, int count, sqlite3_int64 offset) {
  return sealed(file) && count >= kSmallestPage && count <= kLargestPage &&
         std::has_single_bit(static_cast<unsigned>(count)) && offset % count == 0;
}

/// Bound to the number of the page, so that two pages cannot change places.
std::uint64_t pageChecksum(std::span<const std::byte> page, std::int64_t number) {
  return hash128(page.first(page.size() - kPageCheckBytes)).low + static_cast<std::uint64_t>(number);
}

bool beginsInside(sqlite3_file* file, sqlite3_int64 offset) {
  sqlite3_int64 bytes = 0;
  return below(file)->pMethods->xFileSize(below(file), &bytes) == SQLITE_OK && bytes > offset;
}

int readPage(sqlite3_file* file, void* target, int count, sqlite3_int64 offset) {
  const int code = below(file)->pMethods->xRead(below(file), target, count, offset);
  if (code == SQLITE_IOERR_SHORT_READ && isPage(file, count, offset) && beginsInside(file, offset)) {
    failed(file) = true;  // SQLite would take zeros for what is cut off
    return SQLITE_IOERR_DATA;
  }
  if (code != SQLITE_OK) return code;  // also beyond the end, where SQLite wants zeros
  const auto* bytes = static_cast<const std::byte*>(target);
  noteHeader(file, bytes, count, offset);
  if (!isPage(file, count, offset)) return SQLITE_OK;
  if (isSealed({bytes, static_cast<std::size_t>(count)}, offset / count + 1)) return SQLITE_OK;
  failed(file) = true;
  return SQLITE_IOERR_DATA;
}

int writePage(sqlite3_file* file, const void* source, int count, sqlite3_int64 offset) {
  const auto* bytes = static_cast<const std::byte*>(source);
  noteHeader(file, bytes, count, offset);
  if (!isPage(file, count, offset)) return below(file)->pMethods->xWrite(below(file), source, count, offset);
  std::array<std::byte, kLargestPage> page;  // SQLite's own copy stays as it is
  std::memcpy(page.data(), bytes, static_cast<std::size_t>(count));
  sealPage({page.data(), static_cast<std::size_t>(count)}, offset / count + 1);
  return below(file)->pMethods->xWrite(below(file), page.data(), count, offset);
}

/// Everything else goes to the file below. Version 2: with shared memory for the WAL, without mapping of the file,
/// which would bypass the checks.
const sqlite3_io_methods& fileMethods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods all{};
    all.iVersion = 2;
    all.xClose = [](sqlite3_file* f) { return below(f)->pMethods->xClose(below(f)); };
    all.xRead = readPage;
    all.xWrite = writePage;
    all.xTruncate = [](sqlite3_file* f, sqlite3_int64 n) { return below(f)->pMethods->xTruncate(below(f), n); };
    all.xSync = [](sqlite3_file* f, int how) { return below(f)->pMethods->xSync(below(f), how); };
    all.xFileSize = [](sqlite3_file* f, sqlite3_int64* n) { return below(f)->pMethods->xFileSize(below(f), n); };
    all.xLock = [](sqlite3_file* f, int level) { return below(f)->pMethods->xLock(below(f), level); };
    all.xUnlock = [](sqlite3_file* f, int level) { return below(f)->pMethods->xUnlock(below(f), level); };
    all.xCheckReservedLock = [](sqlite3_file* f, int* held) {
      return below(f)->pMethods->xCheckReservedLock(below(f), held);
    };
    all.xFileControl = [](sqlite3_file* f, int what, void* data) {
      if (what == kPageCheckFailed) {
        *static_cast<bool*>(data) = failed(f);
        return SQLITE_OK;
      }
      return below(f)->pMethods->xFileControl(below(f), what, data);
    };
    all.xSectorSize = [](sqlite3_file* f) { return below(f)->pMethods->xSectorSize(below(f)); };
    all.xDeviceCharacteristics = [](sqlite3_file* f) { return below(f)->pMethods->xDeviceCharacteristics(below(f)); };
    all.xShmMap = [](sqlite3_file* f, int region, int bytes, int extend, void volatile** at) {
      return below(f)->pMethods->xShmMap(below(f), region, bytes, extend, at);
    };
    all.xShmLock = [](sqlite3_file* f, int from, int count, int how) {
      return below(f)->pMethods->xShmLock(below(f), from, count, how);
    };
    all.xShmBarrier = [](sqlite3_file* f) { below(f)->pMethods->xShmBarrier(below(f)); };
    all.xShmUnmap = [](sqlite3_file* f, int remove) { return below(f)->pMethods->xShmUnmap(below(f), remove); };
    return all;
  }();
  return methods;
}

int openFile(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* given) {
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return below(vfs)->xOpen(below(vfs), name, file, flags, given);
  sealed(file) = failed(file) = false;
  file->pMethods = nullptr;
  below(file)->pMethods = nullptr;
  const int code = below(vfs)->xOpen(below(vfs), name, below(file), flags, given);
  if (below(file)->pMethods != nullptr) file->pMethods = &fileMethods();  // then SQLite closes it, whatever the code
  return code;
}

sqlite3_vfs makeVfs(sqlite3_vfs& base) {
  sqlite3_vfs vfs{};
  vfs.iVersion = 2;
  vfs.szOsFile = base.szOsFile + static_cast<int>(sizeof(CheckedFile));
  vfs.mxPathname = base.mxPathname;
  vfs.zName = kVfsName;
  vfs.pAppData = &base;
  vfs.xOpen = openFile;
  vfs.xDelete = [](sqlite3_vfs* v, const char* name, int sync) { return below(v)->xDelete(below(v), name, sync); };
  vfs.xAccess = [](sqlite3_vfs* v, const char* name, int flags, int* out) {
    return below(v)->xAccess(below(v), name, flags, out);
  };
  vfs.xFullPathname = [](sqlite3_vfs* v, const char* name, int bytes, char* out) {
    return below(v)->xFullPathname(below(v), name, bytes, out);
  };
  vfs.xDlOpen = [](sqlite3_vfs*, const char*) -> void* { return nullptr; };  // no extensions
  vfs.xDlError = [](sqlite3_vfs*, int bytes, char* out) { sqlite3_snprintf(bytes, out, "extensions are off"); };
  vfs.xDlSym = [](sqlite3_vfs*, void*, const char*) -> void (*)() { return nullptr; };
  vfs.xDlClose = [](sqlite3_vfs*, void*) {};
  vfs.xRandomness = [](sqlite3_vfs* v, int bytes, char* out) { return below(v)->xRandomness(below(v), bytes, out); };
  vfs.xSleep = [](sqlite3_vfs* v, int micros) { return below(v)->xSleep(below(v), micros); };
  vfs.xCurrentTime = [](sqlite3_vfs* v, double* day) { return below(v)->xCurrentTime(below(v), day); };
  vfs.xGetLastError = [](sqlite3_vfs* v, int bytes, char* out) {
    return below(v)->xGetLastError(below(v), bytes, out);
  };
  vfs.xCurrentTimeInt64 = [](sqlite3_vfs* v, sqlite3_int64* ms) { return below(v)->xCurrentTimeInt64(below(v), ms); };
  return vfs;
}

/// Its name. Throws SQLite::Exception.
const char* registerVfs() {
  int code = sqlite3_initialize();
  sqlite3_vfs* base = code == SQLITE_OK ? sqlite3_vfs_find(nullptr) : nullptr;
  if (code == SQLITE_OK && base == nullptr) code = SQLITE_ERROR;
  if (code == SQLITE_OK) {
    static sqlite3_vfs vfs = makeVfs(*base);
    code = sqlite3_vfs_register(&vfs, 0);
  }
  if (code != SQLITE_OK) throw SQLite::Exception("SQLite did not take the checked file access", code);
  return kVfsName;
}

}  // namespace

bool isSealed(std::span<const std::byte> page, std::int64_t number) {
  std::uint64_t stored = 0;
  std::memcpy(&stored, page.data() + page.size() - kPageCheckBytes, sizeof stored);
  return stored == pageChecksum(page, number);
}

void sealPage(std::span<std::byte> page, std::int64_t number) {
  const std::uint64_t checksum = pageChecksum(page, number);
  std::memcpy(page.data() + page.size() - kPageCheckBytes, &checksum, sizeof checksum);
}

const char* checkedVfsName() {
  static const char* const name =
      registerVfs();  // one that throws, for want of memory, is tried again at the next call
  return name;
}

}  // namespace batchwise
