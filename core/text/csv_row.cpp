// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/csv_row.h"

#include "core/text/text_source.h"

namespace batchwise {

char csvSeparator(const std::filesystem::path& file) {
  return unpackedName(file).ends_with(".tsv") ? '\t' : ',';
}

std::size_t CsvRow::take(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (state_ == State::Quoted) {
      if (c == '"') {
        state_ = State::Closed;
        continue;
      }
      lines_ += c == '\n' ? 1 : 0;
      add(c);
    } else if (c == separator_) {
      beginField();
    } else if (c == '\n') {
      while (keeps_ && state_ == State::Plain && kept_.back().ends_with('\r')) kept_.back().pop_back();
      ended_ = true;
      return at + 1;
    } else if (c == '"' && state_ == State::Start) {
      state_ = State::Quoted;
      linesBeforeQuote_ = lines_;
    } else {
      joinsRows_ |= state_ == State::Closed && c != '"' && c != '\r' && lines_ > linesBeforeQuote_;
      state_ = c == '"' && state_ == State::Closed ? State::Quoted : State::Plain;
      add(c);
    }
  }
  return bytes.size();
}

void CsvRow::beginField() {
  state_ = State::Start;
  keeps_ = wanted_ == kAll || wanted_ == fields_;
  ++fields_;
  if (!keeps_) return;
  kept_.emplace_back();
  linesBeforeKept_ = lines_;
}

}  // namespace batchwise
