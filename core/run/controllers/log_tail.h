// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

namespace batchwise {

/// Follows a text file that somebody writes: each byte is read once, whatever its speed, in bounded memory. One thread.
class LogTail {
 public:
  /// `mostLines` of one look, the last ones, each cut after `longestLine` bytes.
  LogTail(std::size_t mostLines, std::size_t longestLine) : mostLines_(mostLines), longestLine_(longestLine) {}

  /// Another file, from its start.
  void follow(const std::filesystem::path& file);
  /// At a byte where a line begins.
  void begin(std::int64_t at);
  /// To its present end, or to the first line that begins in the last `butFor` bytes, unseen.
  void skip(std::int64_t butFor = 0);

  struct News {
    std::deque<std::string> lines;  ///< whole lines that are not empty and do not begin with '{' (events)
    std::int64_t leftOut = 0;       ///< such lines before them
    std::int64_t events = 0;        ///< lines that begin with '{'
    std::int64_t bytes = 0;         ///< that have come
  };
  /// What has come since the last look; nothing where there is no such file yet. Half a line waits for its rest.
  News look();
  /// Bytes of the file that were read or skipped.
  std::int64_t position() const { return at_; }

 private:
  void take(char byte, News& news);

  const std::size_t mostLines_, longestLine_;
  std::filesystem::path file_;
  std::int64_t at_ = 0;  // bytes read
  std::string begun_;    // of a line whose end has not come, cut
  bool inside_ = false;  // begun_ lacks the beginning of its line, which is of no use then
};

/// The last lines of a text file that are no events, each cut; of its last 64 KiB at most, and of what stands behind
/// its first `from` bytes, where a line begins.
std::deque<std::string> lastLines(const std::filesystem::path& file, std::size_t most, std::size_t longestLine,
                                  std::int64_t from = 0);

}  // namespace batchwise
