// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <system_error>

#include "core/base/json_number.h"
#include "core/base/plain_text.h"
#include "core/store/output_file.h"

namespace batchwise::cli {
namespace {

/// Counts code points, an approximation of the terminal columns that suffices for the texts shown here.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

int exitCode(const Error& error) {
  return error.code == ErrorCode::Config || error.code == ErrorCode::NotFound ? kBadInput : kFailed;
}

int fail(const Error& error) {
  std::cerr << "batchwise: " << error.text() << "\n";
  return exitCode(error);
}

int fail(const LoadedConfig& config) {
  std::cerr << config.errorText() << "\n";
  return kBadInput;
}

void showNotes(const LoadedConfig& config) {
  for (const ConfigIssue& note : config.notes) std::cerr << "note: " << note.text() << "\n";
}

void showNotes(const std::vector<Message>& notes) {
  for (const std::string& note : notes) std::cerr << "note: " << note << "\n";
}

std::ostream& reportStream(const std::filesystem::path& file) {
  return isStream(file) ? std::cerr : std::cout;
}

void printJson(const Json& json) {
  std::cout << withEscapedControls(json.dump(-1, ' ', false, Json::error_handler_t::replace)) << std::endl;
}

int flushStdout(int code) {
  errno = 0;
  std::cout.flush();
  if (std::cout.good()) return code;
  const std::string why = errno != 0 ? " (" + std::generic_category().message(errno) + ")" : "";
  std::cerr << "batchwise: the output is not whole: stdout cannot be written" << why << "\n";
  return kFailed;
}

Json jsonNumber(const std::optional<double>& value) {
  return value ? Json(batchwise::jsonNumber(*value)) : Json(nullptr);
}

Json jsonIssues(const std::vector<ConfigIssue>& issues) {
  Json list = Json::array();
  for (const ConfigIssue& issue : issues)
    list.push_back(
        {{"field", issue.field}, {"source", issue.source}, {"line", issue.line}, {"message", issue.message.text()}});
  return list;
}

std::string tagsText(const std::vector<std::string>& tags) {
  std::string text;
  for (const std::string& tag : tags) text += (text.empty() ? "" : ", ") + tag;
  return text;
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = escapedLine(cell);
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (const auto& [title, align] : columns_) widths.push_back(widthOf(title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], widthOf(row[i]));
  const auto line = [&](auto cellAt) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cellAt(i);
      const std::string gap(widths[i] - widthOf(cell), ' ');
      text += (i == 0 ? "" : "  ") + (columns_[i].second == Align::Right ? gap + cell : cell + gap);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << "\n";
  };
  line([&](std::size_t i) { return columns_[i].first; });
  for (const auto& row : rows_) line([&](std::size_t i) { return row[i]; });
}

}  // namespace batchwise::cli
