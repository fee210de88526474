// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/output_lines.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

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
    ++malformedLines_;
    return;
  }
  if (line.empty()) return;
  Result<RunEvent> event = eventFromLine(line);
  if (event.ok())
    events.push_back(std::move(*event));
  else
    ++malformedLines_;
}

namespace {
constexpr std::int64_t kLastBytes = 1 << 16;
}

void LogTail::follow(const std::filesystem::path& file) {
  file_ = file;
  seek(0);
}

void LogTail::skip(std::int64_t butFor) {
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(file_, missing);
  at_ = missing ? 0 : std::max<std::int64_t>(0, static_cast<std::int64_t>(bytes) - butFor);
  partialLine_.clear();
  midLine_ = butFor > 0 && at_ > 0;
}

void LogTail::seek(std::int64_t at) {
  at_ = at;
  partialLine_.clear();
  midLine_ = false;
}

LogTail::NewLines LogTail::poll() {
  NewLines newLines;
  std::ifstream log(file_, std::ios::binary);
  log.seekg(at_);
  std::array<char, 65536> buffer{};
  while (log) {
    log.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto read = static_cast<std::size_t>(log.gcount());
    for (std::size_t i = 0; i < read; ++i) take(buffer[i], newLines);
    newLines.bytes += static_cast<std::int64_t>(read);
  }
  at_ += newLines.bytes;
  return newLines;
}

void LogTail::take(char byte, NewLines& newLines) {
  if (byte != '\n') {
    if (partialLine_.size() < longestLine_) partialLine_ += byte;
    return;
  }
  std::string line = std::exchange(partialLine_, {});
  if (std::exchange(midLine_, false) || line.empty()) return;
  if (line.front() == '{') {
    ++newLines.events;
    return;
  }
  newLines.lines.push_back(std::move(line));
  if (newLines.lines.size() <= mostLines_) return;
  newLines.lines.pop_front();
  ++newLines.dropped;
}

std::deque<std::string> lastLines(const std::filesystem::path& file, std::size_t most, std::size_t longestLine,
                                  std::int64_t from) {
  LogTail tail(most, longestLine);
  tail.follow(file);
  tail.skip(kLastBytes);
  if (tail.position() <= from) tail.seek(from);
  return tail.poll().lines;
}

}  // namespace batchwise
