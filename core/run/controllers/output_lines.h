// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/events/run_event.h"

namespace batchwise {

/// Parses a byte stream into events, one JSON object per line. Counts and skips lines that are too long or not events,
/// so that memory is bounded by a few times kLongestLine whatever the other process writes.
class EventLineParser {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// Returns the events of the lines that these bytes complete.
  std::vector<RunEvent> take(std::string_view bytes);
  /// Returns the number of lines so far that were not events.
  std::int64_t malformedLines() const { return malformedLines_; }

 private:
  void takeLine(std::vector<RunEvent>& events);

  std::string line_;
  bool tooLong_ = false;  // skip to the end of the line
  std::int64_t malformedLines_ = 0;
};

/// Follows a growing text file, reading each byte once, in bounded memory. Not thread-safe.
class LogTail {
 public:
  /// `mostLines`: lines that one poll() returns, the last ones; each is cut after `longestLine` bytes.
  LogTail(std::size_t mostLines, std::size_t longestLine) : mostLines_(mostLines), longestLine_(longestLine) {}

  /// Follows another file from its start.
  void follow(const std::filesystem::path& file);
  /// Continues at byte `at`, which must start a line.
  void seek(std::int64_t at);
  /// Skips to the present end of the file, or to the first line that starts in its last `butFor` bytes.
  void skip(std::int64_t butFor = 0);

  struct NewLines {
    std::deque<std::string> lines;  ///< complete non-empty lines that do not start with '{' (events)
    std::int64_t dropped = 0;       ///< earlier such lines that were dropped
    std::int64_t events = 0;        ///< lines that start with '{'
    std::int64_t bytes = 0;         ///< bytes read
  };
  /// Reads what was appended since the last call; nothing if the file does not exist yet. Keeps an incomplete line
  /// until it is complete.
  NewLines poll();
  /// Returns the bytes read or skipped so far.
  std::int64_t position() const { return at_; }

 private:
  void take(char byte, NewLines& newLines);

  const std::size_t mostLines_, longestLine_;
  std::filesystem::path file_;
  std::int64_t at_ = 0;      // bytes read
  std::string partialLine_;  // incomplete line, cut to longestLine_
  bool midLine_ = false;     // started in the middle of a line, which is to be dropped
};

/// Returns the last lines of a text file that are not events, each cut. Reads at most the last 64 KiB, and nothing
/// before byte `from`, which must start a line.
std::deque<std::string> lastLines(const std::filesystem::path& file, std::size_t most, std::size_t longestLine,
                                  std::int64_t from = 0);

}  // namespace batchwise
