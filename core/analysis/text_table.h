// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace batchwise {

/// A table of texts, and the forms in which it leaves the program. Every cell is plain text: what could be read as
/// markup or commands is escaped. Rows may be shorter than the header.
struct TextTable {
  struct Column {
    std::string title;
    bool numeric = false;    ///< set to the right
    std::string about = {};  ///< what a reader may want to know beside the title; empty if nothing
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

enum class TableForm { Csv, Markdown, Latex };

/// Csv: RFC 4180; a text that a spreadsheet would take for a formula gets an apostrophe in front. Markdown: a GitHub
/// table. Latex: a tabular environment with \hline, needs no package.
std::string tableText(const TextTable& table, TableForm form);
/// As tableText() in Csv, but without the titles: a long table is written in parts.
std::string csvRows(const TextTable& table);
/// A <table> element.
std::string tableHtml(const TextTable& table);

/// With < > & " ' as entities, and control characters (but for line ends and tabs) as a replacement character.
std::string escapeMarkup(std::string_view text);

}  // namespace batchwise
