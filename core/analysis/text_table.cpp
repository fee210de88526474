// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/text_table.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/text.h"

namespace batchwise {
namespace {

std::string csvCell(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
      !numberFrom<double>(text))
    text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// Replaces each of `texts` by its counterpart among `escapes`.
std::string replaced(std::string_view text, std::span<const std::string_view> texts,
                     std::span<const std::string_view> escapes) {
  std::string result;
  while (!text.empty()) {
    const auto found = std::ranges::find_if(texts, [&](std::string_view each) { return text.starts_with(each); });
    const bool any = found != texts.end();
    result += any ? escapes[static_cast<std::size_t>(found - texts.begin())] : text.substr(0, 1);
    text.remove_prefix(any ? found->size() : 1);
  }
  return result;
}

std::string markdownCell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|~!$&").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string latexCell(const std::string& text) {
  static constexpr char kBetween = '\1';
  static constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {{"&", "\\&"},
                                                                               {"%", "\\%"},
                                                                               {"$", "\\$"},
                                                                               {"#", "\\#"},
                                                                               {"_", "\\_"},
                                                                               {"{", "\\{"},
                                                                               {"}", "\\}"},
                                                                               {"<", "$<$"},
                                                                               {">", "$>$"},
                                                                               {"|", "$|$"},
                                                                               {"~", "\\textasciitilde{}"},
                                                                               {"^", "\\textasciicircum{}"},
                                                                               {"\\", "\\textbackslash{}"},
                                                                               {"`", "\\textasciigrave{}"},
                                                                               {"''", "'{}'"},
                                                                               {{&kBetween, 1}, "{}"},
                                                                               {"\n", " "},
                                                                               {"\r", " "},
                                                                               {"–", "--"},
                                                                               {"−", "$-$"},
                                                                               {"±", "$\\pm$"},
                                                                               {"×", "$\\times$"},
                                                                               {"·", "$\\cdot$"},
                                                                               {"→", "$\\rightarrow$"},
                                                                               {"≤", "$\\le$"},
                                                                               {"≥", "$\\ge$"},
                                                                               {"≈", "$\\approx$"},
                                                                               {"∞", "$\\infty$"},
                                                                               {"…", "\\ldots{}"},
                                                                               {"“", "``"},
                                                                               {"”", "''"},
                                                                               {"’", "'"}};
  static const auto sides = [] {
    std::pair<std::vector<std::string_view>, std::vector<std::string_view>> both;
    for (const auto& [from, to] : kEscapes) {
      both.first.push_back(from);
      both.second.push_back(to);
    }
    return both;
  }();
  std::string apart;  // two hyphens are not a dash
  for (const char c : text)
    apart += c == '-' && apart.ends_with('-') ? std::string(1, kBetween) + c : std::string(1, c);
  return replaced(apart, sides.first, sides.second);
}

/// A number that begins with a minus as in files gets that of a formula.
std::string latexNumber(const std::string& text) {
  const bool negative = text.size() > 1 && text[0] == '-' && text[1] != '-';
  return negative ? "$-$" + latexCell(text.substr(1)) : latexCell(text);
}

std::vector<std::string> titlesOf(const TextTable& table) {
  std::vector<std::string> titles;
  for (const TextTable::Column& column : table.columns) titles.push_back(column.title);
  return titles;
}

/// Pads a row to the length of the header.
std::vector<std::string> filled(std::vector<std::string> row, const TextTable& table) {
  row.resize(table.columns.size());
  return row;
}

std::string csvOf(const TextTable& table) {
  return joined(titlesOf(table), ",", csvCell) + "\r\n" + csvRows(table);
}

std::string markdownOf(const TextTable& table) {
  std::string text = "| " + joined(titlesOf(table), " | ", markdownCell) + " |\n|";
  for (const TextTable::Column& column : table.columns) text += column.numeric ? " ---: |" : " --- |";
  text += "\n";
  for (const auto& row : table.rows) text += "| " + joined(filled(row, table), " | ", markdownCell) + " |\n";
  return text;
}

std::string latexRow(const std::vector<std::string>& cells, const TextTable& table) {
  std::string text;
  // The end of the row before would take these for its options.
  if (!cells.empty() && (cells[0].starts_with('[') || cells[0].starts_with('*'))) text = "{}";
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += (i == 0 ? "" : " & ") + (table.columns[i].numeric ? latexNumber(cells[i]) : latexCell(cells[i]));
  return text + " \\\\\n";
}

std::string latexOf(const TextTable& table, const std::string& caption) {
  std::string text = "\\begin{tabular}{";
  for (const TextTable::Column& column : table.columns) text += column.numeric ? 'r' : 'l';
  text += "}\n\\hline\n" + joined(titlesOf(table), " & ", latexCell) + " \\\\\n\\hline\n";
  for (const auto& row : table.rows) text += latexRow(filled(row, table), table);
  text += "\\hline\n\\end{tabular}\n";
  if (caption.empty()) return text;
  return "\\begin{table}\n\\centering\n\\caption{" + latexCell(caption) + "}\n" + text + "\\end{table}\n";
}

}  // namespace

std::string tableText(const TextTable& table, TableFormat form, const std::string& latexCaption) {
  switch (form) {
    case TableFormat::Csv: return csvOf(table);
    case TableFormat::Markdown: return markdownOf(table);
    case TableFormat::Latex: return latexOf(table, latexCaption);
  }
  return "";
}

std::string csvRows(const TextTable& table) {
  std::string text;
  for (const auto& row : table.rows) text += joined(filled(row, table), ",", csvCell) + "\r\n";
  return text;
}

std::string tableHtml(const TextTable& table) {
  const auto cell = [&](std::size_t column, const char* tag, const std::string& text) {
    const char* place = table.columns[column].numeric ? " class=\"number\"" : "";
    return std::string("<") + tag + place + ">" + escapeMarkup(text) + "</" + tag + ">";
  };
  std::string html = "<table>\n<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) html += cell(i, "th", table.columns[i].title);
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    const auto cells = filled(row, table);
    for (std::size_t i = 0; i < cells.size(); ++i) html += cell(i, "td", cells[i]);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n";
}

std::string escapeMarkup(std::string_view text) {
  static constexpr std::string_view kTexts[] = {"<", ">", "&", "\"", "'"};
  static constexpr std::string_view kEntities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
  std::string escaped;
  for (const char c : replaced(text, kTexts, kEntities)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
    escaped += control ? "\xEF\xBF\xBD" : std::string(1, c);
  }
  return escaped;
}

}  // namespace batchwise
