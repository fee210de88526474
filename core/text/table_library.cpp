// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/table_library.h"

#include <dlfcn.h>

#include "core/base/format.h"
#include "core/base/process_setup.h"
#include "core/text/record_source.h"

namespace batchwise {
namespace {

Result<const TableLibrary*> loadTableLibrary() {
  const std::filesystem::path path = ownFolder() / "libbatchwise_tables.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const auto make =
      library == nullptr ? nullptr : reinterpret_cast<TableLibraryFunction>(dlsym(library, "batchwiseTableLibrary"));
  if (make != nullptr) return make();
  return Error::unsupported(
      formatText("Parquet and Arrow files are read and written by {}, which cannot be loaded: {}; build it "
                 "again, or use JSON lines and CSV",
                 path.native(), dlerror()));
}

Result<const TableLibrary*> tableLibrary() {
  static const Result<const TableLibrary*> loaded = loadTableLibrary();
  return loaded;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> openTable(const std::filesystem::path& path, TextFormat format,
                                              const std::string& column, ColumnValues values) {
  if (format == TextFormat::Mds) return openMds(path, column);
  ASSIGN_OR_RETURN(const TableLibrary* tables, tableLibrary());
  return tables->open(path, column, values);
}

Result<TableColumns> tableColumns(const std::filesystem::path& path, TextFormat format) {
  if (format == TextFormat::Mds) return mdsColumns(path);
  ASSIGN_OR_RETURN(const TableLibrary* tables, tableLibrary());
  return tables->columns(path);
}

Result<void> writeTable(const std::filesystem::path& path, const std::string& run, const ForEachPoint& points) {
  ASSIGN_OR_RETURN(const TableLibrary* tables, tableLibrary());
  return tables->write(path, run, points);
}

}  // namespace batchwise
