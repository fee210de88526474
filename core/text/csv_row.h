// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace batchwise {

/// Returns a tab for files whose names end in .tsv, also packed ones, else a comma.
char csvSeparator(const std::filesystem::path& file);

/// One row of comma-separated values (RFC 4180), taken piece by piece: fields in quotes may hold separators, line
/// breaks and doubled quotes. Outside quotes, and after them, a quote is an ordinary character, as in Python's csv.
class CsvRow {
 public:
  static constexpr std::size_t kAll = SIZE_MAX;

  /// Keeps the text of the field with the index `wanted`, or of all.
  CsvRow(char separator, std::size_t wanted) : separator_(separator), wanted_(wanted) { beginField(); }

  /// Takes bytes up to the line break that ends the row, and returns how many.
  std::size_t take(std::string_view bytes);

  bool ended() const { return ended_; }
  bool inQuotes() const { return state_ == State::Quoted; }
  std::size_t fields() const { return fields_; }
  const std::vector<std::string>& kept() const { return kept_; }
  /// Line breaks in the row before the last text that is kept, and before the last quote that began a field.
  std::int64_t linesBeforeKept() const { return linesBeforeKept_; }
  std::int64_t linesBeforeQuote() const { return linesBeforeQuote_; }
  /// Whether text follows the closing quote of a field with line breaks: such quotes are bare ones of several rows.
  bool joinsRows() const { return joinsRows_; }

 private:
  enum class State { Start, Plain, Quoted, Closed };  // of the field: Closed after what may be its last quote

  void beginField();
  void add(char c) {
    if (keeps_) kept_.back().push_back(c);
  }

  char separator_;
  std::size_t wanted_;
  std::size_t fields_ = 0;
  std::vector<std::string> kept_;
  State state_ = State::Start;
  bool keeps_ = false;
  bool ended_ = false, joinsRows_ = false;
  std::int64_t lines_ = 0, linesBeforeKept_ = 0, linesBeforeQuote_ = 0;
};

}  // namespace batchwise
