// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace batchwise {

/// A table of text cells. All export formats escape markup and formulas. Rows may be shorter than the header.
struct TextTable {
  struct Column {
    std::string title;
    bool numeric = false;    ///< right-aligned
    std::string about = {};  ///< explanation of the column; may be empty
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A table read block by block because it is too long for memory. Not thread-safe.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Returns up to `most` further rows, with all column titles.
  virtual TextTable next(std::size_t most) = 0;
  virtual bool atEnd() const = 0;
  /// Returns the fraction of rows returned so far, 0 to 1.
  virtual double progress() const = 0;
};

enum class TableFormat { Csv, Markdown, Latex };

/// Csv: RFC 4180; cells that a spreadsheet would evaluate get a leading apostrophe. Markdown: GitHub table. Latex:
/// tabular with \hline, no packages, signs in math mode; with a caption in a table environment.
std::string tableText(const TextTable& table, TableFormat form, const std::string& latexCaption = {});
/// Returns the rows as tableText() in Csv without titles, for writing a long table in parts.
std::string csvRows(const TextTable& table);
/// Returns a <table> element.
std::string tableHtml(const TextTable& table);

/// Escapes < > & " ' as entities and replaces control characters except newline and tab.
std::string escapeMarkup(std::string_view text);

}  // namespace batchwise
