// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/task_table.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/text/csv_row.h"
#include "core/text/table_library.h"
#include "core/text/text_check.h"
#include "core/text/text_source.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostTableBytes = std::size_t{4} << 30;

Result<std::string> readUnpacked(ByteSource& source) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kAtOnce);
    ASSIGN_OR_RETURN(const auto got, source.read(std::span(text).subspan(before)));
    text.resize(before + got);
    if (got == 0) return text;
    if (text.size() > kMostTableBytes)
      return Error::config(formatText("'{}' is larger than {}; a task takes a smaller part of it",
                                      source.path().native(), formatBytes(kMostTableBytes)));
  }
}

Result<std::string> contentOf(const fs::path& path) {
  RETURN_IF_ERROR(inspectText(path));
  ASSIGN_OR_RETURN(const auto source, openByteSource(path));
  ASSIGN_OR_RETURN(auto text, readUnpacked(*source));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return withLineFeeds(std::move(text));
}

Error missingColumn(const WantedColumn& wanted, const std::vector<std::string>& known) {
  const std::string nearest = nearestName(wanted.names.front(), known);
  return Error::config(formatText("there is no column '{}'{}; the columns are {}", joined(wanted.names, "' or '"),
                                  nearest.empty() ? "" : formatText(" (did you mean '{}'?)", nearest), joined(known)));
}

/// Returns the places of the columns among those that are known; -1: an optional one that is missing.
Result<std::vector<std::ptrdiff_t>> placesOf(const std::vector<WantedColumn>& wanted,
                                             const std::vector<std::string>& known, const std::string& where) {
  std::vector<std::ptrdiff_t> places;
  for (const WantedColumn& column : wanted) {
    const auto found = std::ranges::find_first_of(known, column.names);
    if (found == known.end() && !column.optional) return missingColumn(column, known).within(where);
    if (found != known.end() && std::count(found, known.end(), *found) > 1) return severalColumns(*found).within(where);
    places.push_back(found == known.end() ? -1 : found - known.begin());
  }
  return places;
}

std::vector<std::string> fieldsOf(const CsvRow& row) {
  std::vector<std::string> fields = row.kept();
  if (!fields.empty() && fields.back().ends_with('\r')) fields.back().pop_back();
  return fields;
}

Result<void> readCsv(const std::vector<WantedColumn>& wanted, TaskTable& table) {
  ASSIGN_OR_RETURN(const auto text, contentOf(table.path));
  std::vector<std::ptrdiff_t> places;
  std::size_t width = 0;
  std::int64_t line = 1;
  const bool isTsv = csvSeparator(table.path) == '\t';
  for (std::string_view rest = text; !rest.empty();) {
    CsvRow row(csvSeparator(table.path), CsvRow::kAll);
    const std::string_view taken = rest.substr(0, row.take(rest));
    rest.remove_prefix(taken.size());
    const std::string where = formatText("{}:{}", table.path.native(), line);
    if (row.inQuotes())
      return Error::config("a quote that begins a field never ends; write it twice inside of quotes")
          .within(formatText("{}:{}", table.path.native(), line + row.linesBeforeQuote()));
    const std::vector<std::string> fields = fieldsOf(row);
    if (width == 0) {
      width = fields.size();
      ASSIGN_OR_RETURN(places, placesOf(wanted, fields, where));
    } else if (fields.size() > 1 || !isBlank(taken)) {
      if (fields.size() != width)
        return Error::config(formatText("the row has {}, but the header has {}",
                                        countText(static_cast<std::int64_t>(fields.size()), "field"),
                                        countText(static_cast<std::int64_t>(width), "column")))
            .within(where);
      // Files such as those of GLUE are no CSV with tabs: a quote there is a character, and may swallow what follows.
      if (isTsv && std::ranges::any_of(fields, [](const std::string& field) {
            return field.find_first_of("\t\n") != std::string::npos;
          }))
        return Error::config(
                   "a quote begins a field that holds a tab or a line break, as in a TSV with bare quotes; write it as "
                   "JSON Lines")
            .within(where);
      for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] >= 0) table.columns[i].push_back({{fields[static_cast<std::size_t>(places[i])]}});
      table.lines.push_back(line);
    }
    line += std::ranges::count(taken, '\n');
  }
  if (width == 0) return Error::config(formatText("'{}' is empty", table.path.native()));
  return {};
}

/// Returns nothing for a value that is no text, number, truth value, null or list of those.
std::optional<TableCell> cellOf(const nlohmann::json& value) {
  if (value.is_object() || value.is_binary()) return std::nullopt;
  if (!value.is_array())
    return TableCell{{value.is_string() ? value.get<std::string>() : value.is_null() ? "" : jsonText(value)}};
  TableCell cell{{}, true};
  for (const nlohmann::json& item : value) {
    const auto one = cellOf(item);
    if (!one || one->isList) return std::nullopt;
    cell.values.push_back(one->values.front());
  }
  return cell;
}

Result<void> readJsonLines(const std::vector<WantedColumn>& wanted, TaskTable& table) {
  ASSIGN_OR_RETURN(const auto text, contentOf(table.path));
  std::int64_t line = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view taken = takePart(rest, '\n');
    ++line;
    if (isBlank(taken)) continue;
    const std::string where = formatText("{}:{}", table.path.native(), line);
    const auto object = parseJson(taken);
    if (!object.ok()) return Error::config(formatText("the line is no JSON: {}", object.error().message)).within(where);
    if (!object->is_object()) return Error::config("the line is no JSON object").within(where);
    std::vector<std::string> known;
    for (const auto& item : object->items()) known.push_back(item.key());
    ASSIGN_OR_RETURN(const auto places, placesOf(wanted, known, where));
    for (std::size_t i = 0; i < places.size(); ++i) {
      table.columns[i].resize(table.lines.size() + 1);
      if (places[i] < 0) continue;
      const std::string& key = known[static_cast<std::size_t>(places[i])];
      auto cell = cellOf(object->at(key));
      if (!cell)
        return Error::config(formatText("the value of '{}' is no text, number or list of them", key)).within(where);
      table.columns[i].back() = std::move(*cell);
    }
    table.lines.push_back(line);
  }
  return {};
}

Result<std::vector<std::string>> parquetColumns(const fs::path& path) {
  ASSIGN_OR_RETURN(auto found, tableColumns(path, TextFormat::Parquet));
  for (const std::string& other : found.others) found.texts.push_back(other.substr(0, other.rfind(" (")));
  return found.texts;
}

Result<void> readParquet(const std::vector<WantedColumn>& wanted, TaskTable& table) {
  ASSIGN_OR_RETURN(const auto known, parquetColumns(table.path));
  ASSIGN_OR_RETURN(const auto places, placesOf(wanted, known, table.path.native()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    const std::string& name = known[static_cast<std::size_t>(places[i])];
    ASSIGN_OR_RETURN(const auto source, openTable(table.path, TextFormat::Parquet, name, ColumnValues::Any));
    ASSIGN_OR_RETURN(const auto text, readUnpacked(*source));
    for (std::string_view rest = text; !rest.empty();) {
      auto cell = cellOf(parseJsonOrDiscarded(takePart(rest, '\n'))[name]);
      if (!cell)
        return Error::config(
            formatText("the column '{}' of '{}' is no text, number or list of them", name, table.path.native()));
      table.columns[i].push_back(std::move(*cell));
    }
    table.rows = std::ssize(table.columns[i]);
  }
  return {};
}

enum class TableKind { Rows, Objects, Columns };

Result<TableKind> kindOf(const fs::path& path) {
  const std::string_view name = unpackedName(path);
  const auto endsIn = [name](std::initializer_list<std::string_view> endings) {
    return std::ranges::any_of(endings, [name](std::string_view ending) { return name.ends_with(ending); });
  };
  if (endsIn({".tsv", ".csv"})) return TableKind::Rows;
  if (endsIn({".jsonl", ".ndjson", ".json"})) return TableKind::Objects;
  if (endsIn({".parquet", ".arrow", ".feather"})) return TableKind::Columns;
  return Error::config(
      formatText("the ending of '{}' is no table's; use .tsv, .csv, .jsonl, .parquet or .arrow", path.native()));
}

}  // namespace

std::string TaskTable::where(std::int64_t row) const {
  return lines.empty() ? formatText("{}: row {}", path.native(), row + 1)
                       : formatText("{}:{}", path.native(), lines[static_cast<std::size_t>(row)]);
}

Result<std::vector<std::string>> taskColumns(const fs::path& path) {
  ASSIGN_OR_RETURN(const TableKind kind, kindOf(path));
  if (kind == TableKind::Columns) return parquetColumns(path);
  ASSIGN_OR_RETURN(const auto text, contentOf(path));
  if (kind == TableKind::Rows) {
    CsvRow header(csvSeparator(path), CsvRow::kAll);
    header.take(text);
    return fieldsOf(header);
  }
  std::vector<std::string> names;
  const auto first = parseJsonOrDiscarded(std::string_view(text).substr(0, text.find('\n')));
  if (!first.is_object())
    return Error::config("the first line is no JSON object").within(formatText("{}:1", path.native()));
  for (const auto& item : first.items()) names.push_back(item.key());
  return names;
}

Result<TaskTable> readTaskTable(const fs::path& path, const std::vector<WantedColumn>& wanted) {
  TaskTable table{path, {}, {}, 0};
  table.columns.resize(wanted.size());
  ASSIGN_OR_RETURN(const TableKind kind, kindOf(path));
  switch (kind) {
    case TableKind::Rows: RETURN_IF_ERROR(readCsv(wanted, table)); break;
    case TableKind::Objects: RETURN_IF_ERROR(readJsonLines(wanted, table)); break;
    case TableKind::Columns: RETURN_IF_ERROR(readParquet(wanted, table)); break;
  }
  if (!table.lines.empty()) table.rows = std::ssize(table.lines);
  for (std::vector<TableCell>& column : table.columns) column.resize(static_cast<std::size_t>(table.rows));
  if (table.rows == 0) return Error::config(formatText("'{}' has no rows", path.native()));
  return table;
}

}  // namespace batchwise
