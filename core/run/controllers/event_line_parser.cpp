// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/event_line_parser.h"

#include <nlohmann/json.hpp>

#include "core/base/strict_json.h"

namespace batchwise {

std::vector<RunEvent> EventLineParser::take(std::string_view bytes) {
  std::vector<RunEvent> events;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > kLongestLine) tooLong_ = true;
    if (tooLong_)
      line_.clear();
    else
      line_.append(piece);
    if (end == std::string_view::npos) break;
    takeLine(events);
    bytes.remove_prefix(end + 1);
  }
  return events;
}

void EventLineParser::takeLine(std::vector<RunEvent>& events) {
  const std::string line = std::exchange(line_, {});
  if (std::exchange(tooLong_, false)) {
    ++unreadable_;
    return;
  }
  if (line.empty()) return;
  Result<RunEvent> event = eventFromJson(parseJsonOrDiscarded(line));
  if (event.ok())
    events.push_back(std::move(*event));
  else
    ++unreadable_;
}

}  // namespace batchwise
