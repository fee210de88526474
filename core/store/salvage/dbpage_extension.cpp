// SPDX-License-Identifier: GPL-3.0-or-later
// An extension for the `sqlite3` program: the read-only table `sqlite_dbpage(pgno, data)` with the pages of its
// database. `.recover` reads pages through it, and Debian's SQLite is built without it. Pages are read from the
// database file alone, so the WAL must be checkpointed first. The function `rows_left_out()` returns the number of rows
// in the pages read that are too large for `.recover`.
#include <sqlite3ext.h>

#include <map>
#include <new>
#include <vector>

SQLITE_EXTENSION_INIT1

namespace {

struct PageTable : sqlite3_vtab {
  sqlite3* database = nullptr;
};

struct PageCursor : sqlite3_vtab_cursor {
  sqlite3_int64 page = 1;
  sqlite3_int64 last = 0;
  std::vector<unsigned char> bytes;
  sqlite3_file* file = nullptr;
};

enum Column { kNumber, kData, kSchema };
enum Plan { kAllPages = 0, kOnePage = 1 };

PageCursor& cursorOf(sqlite3_vtab_cursor* cursor) {
  return *static_cast<PageCursor*>(cursor);
}

int connect(sqlite3* database, void* /*data*/, int /*count*/, const char* const* /*words*/, sqlite3_vtab** made,
            char** /*message*/) {
  const int declared =
      sqlite3_declare_vtab(database, "CREATE TABLE x(pgno INTEGER PRIMARY KEY, data BLOB, schema HIDDEN)");
  if (declared != SQLITE_OK) return declared;
  auto* table = new (std::nothrow) PageTable;
  if (table == nullptr) return SQLITE_NOMEM;
  table->database = database;
  *made = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<PageTable*>(table);
  return SQLITE_OK;
}

/// Puts the page number last among the arguments; the schema name is always "main".
int chooseIndex(sqlite3_vtab* /*table*/, sqlite3_index_info* info) {
  int arguments = 0;
  const auto use = [&](int column) {
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      const bool isRowid = column == kNumber && constraint.iColumn == -1;
      if (!constraint.usable || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.iColumn != column && !isRowid) continue;
      info->aConstraintUsage[i].argvIndex = ++arguments;
      info->aConstraintUsage[i].omit = 1;
      return true;
    }
    return false;
  };
  (void)use(kSchema);
  const bool one = use(kNumber);
  info->idxNum = one ? kOnePage : kAllPages;
  info->estimatedCost = one ? 1.0 : 1e6;
  return SQLITE_OK;
}

int openCursor(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** made) {
  *made = new (std::nothrow) PageCursor;
  return *made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int closeCursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<PageCursor*>(cursor);
  return SQLITE_OK;
}

int pageBytes(sqlite3* database) {
  sqlite3_stmt* query = nullptr;
  int bytes = 0;
  if (sqlite3_prepare_v2(database, "PRAGMA page_size", -1, &query, nullptr) == SQLITE_OK &&
      sqlite3_step(query) == SQLITE_ROW)
    bytes = sqlite3_column_int(query, 0);
  sqlite3_finalize(query);
  return bytes;
}

/// `.recover` needs about thirty times the memory of the largest row (sixty if it is full of quotes) and fails without
/// it. Rows of a workspace are smaller than this.
constexpr sqlite3_uint64 kLargestRow = 4U << 20;

std::size_t number16(const std::vector<unsigned char>& page, std::size_t at) {
  return page[at] * std::size_t{256} + page[at + 1];
}

/// Reads the varint at `at`, which is moved behind it; 0 if it exceeds the page (SQLite's file format, section 1.6).
sqlite3_uint64 takeVarint(const std::vector<unsigned char>& page, std::size_t& at) {
  sqlite3_uint64 value = 0;
  for (std::size_t i = 0; i < 9 && at < page.size(); ++i) {
    const unsigned char byte = page[at++];
    if (i == 8) return value << 8 | byte;
    value = value << 7 | (byte & 0x7FU);
    if ((byte & 0x80U) == 0) return value;
  }
  return 0;
}

/// Skipped rows by page, because pages are read more than once. The program has one database and one thread.
std::map<sqlite3_int64, sqlite3_int64> skippedRows;  // NOLINT

/// The header of a record has at least a byte per column, and `.recover` fails if a row, as a damaged page may hold it,
/// has more columns than a table of SQLite (2000). Those of a workspace have headers of less than 200 bytes.
constexpr sqlite3_uint64 kLongestHeader = 1000;

/// Removes rows that `.recover` fails on from the cell pointer array of a page. Returns the number of too large ones;
/// those with an impossible header are none.
sqlite3_int64 removeUnusableRows(std::vector<unsigned char>& page) {
  constexpr unsigned char kTableLeaf = 0x0D, kIndexLeaf = 0x0A, kIndexInner = 0x02;
  const bool isInner = page[0] == kIndexInner;
  if (page[0] != kTableLeaf && page[0] != kIndexLeaf && !isInner) return 0;
  const std::size_t list = isInner ? 12 : 8;
  const std::size_t rows = number16(page, 3);
  std::size_t kept = 0;
  sqlite3_int64 large = 0;
  for (std::size_t i = 0; i < rows && list + 2 * i + 1 < page.size(); ++i) {
    const std::size_t at = list + 2 * i;
    std::size_t cell = number16(page, at) + (isInner ? 4U : 0U);
    if (takeVarint(page, cell) > kLargestRow) {
      ++large;
      continue;
    }
    if (page[0] == kTableLeaf) takeVarint(page, cell);  // the row id
    if (takeVarint(page, cell) > kLongestHeader) continue;
    page[list + 2 * kept] = page[at];
    page[list + 2 * kept + 1] = page[at + 1];
    ++kept;
  }
  page[3] = static_cast<unsigned char>(kept >> 8);
  page[4] = static_cast<unsigned char>(kept);
  return large;
}

int filter(sqlite3_vtab_cursor* cursor, int plan, const char* /*text*/, int count, sqlite3_value** arguments) {
  PageCursor& pages = cursorOf(cursor);
  sqlite3* database = static_cast<PageTable*>(cursor->pVtab)->database;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &pages.file);
  const int bytes = pageBytes(database);
  sqlite3_int64 size = 0;
  if (pages.file == nullptr || pages.file->pMethods == nullptr || bytes <= 0) return SQLITE_ERROR;
  if (const int failed = pages.file->pMethods->xFileSize(pages.file, &size); failed != SQLITE_OK) return failed;
  pages.bytes.resize(static_cast<std::size_t>(bytes));
  pages.page = 1;
  pages.last = (size + bytes - 1) / bytes;
  if (plan == kAllPages) return SQLITE_OK;
  const sqlite3_int64 wanted = sqlite3_value_int64(arguments[count - 1]);
  pages.last = wanted >= 1 && wanted <= pages.last ? wanted : 0;
  pages.page = pages.last == 0 ? 1 : wanted;
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++cursorOf(cursor).page;
  return SQLITE_OK;
}

int isAtEnd(sqlite3_vtab_cursor* cursor) {
  return cursorOf(cursor).page > cursorOf(cursor).last ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int which) {
  PageCursor& pages = cursorOf(cursor);
  if (which == kNumber) sqlite3_result_int64(context, pages.page);
  if (which == kSchema) sqlite3_result_text(context, "main", -1, SQLITE_STATIC);
  if (which != kData) return SQLITE_OK;
  const int bytes = static_cast<int>(pages.bytes.size());
  const int read = pages.file->pMethods->xRead(pages.file, pages.bytes.data(), bytes, (pages.page - 1) * bytes);
  if (read != SQLITE_OK && read != SQLITE_IOERR_SHORT_READ) return read;  // a short read is zero-filled
  if (pages.page > 1)                                                     // page 1 was written by replacePageOne()
    if (const auto large = removeUnusableRows(pages.bytes); large > 0) skippedRows[pages.page] = large;
  sqlite3_result_blob(context, pages.bytes.data(), bytes, SQLITE_TRANSIENT);
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = cursorOf(cursor).page;
  return SQLITE_OK;
}

sqlite3_module makeModule() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xBestIndex = chooseIndex;
  module.xDisconnect = disconnect;
  module.xOpen = openCursor;
  module.xClose = closeCursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = isAtEnd;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}

void skippedRowCount(sqlite3_context* context, int /*count*/, sqlite3_value** /*arguments*/) {
  sqlite3_int64 rows = 0;
  for (const auto& [page, large] : skippedRows) rows += large;
  sqlite3_result_int64(context, rows);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int sqlite3_batchwisedbpage_init(
    sqlite3* database, char** /*message*/, const sqlite3_api_routines* routines) {
  SQLITE_EXTENSION_INIT2(routines)
  static const sqlite3_module module = makeModule();
  const int made =
      sqlite3_create_function(database, "rows_left_out", 0, SQLITE_UTF8, nullptr, skippedRowCount, nullptr, nullptr);
  return made != SQLITE_OK ? made : sqlite3_create_module(database, "sqlite_dbpage", &module, nullptr);
}
