// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/config/events/run_event.h"

namespace batchwise {

/// How a process ended.
struct ChildExit {
  bool bySignal = false;
  int number = 0;             ///< exit code, or signal number
  std::int64_t oomKills = 0;  ///< processes killed by the system for lack of memory while it ran
  std::string stderrTail;     ///< end of its stderr
};

/// Describes the end in words: "was killed (SIGKILL), probably because memory ran out", with the last line of stderr.
std::string describeExit(const ChildExit& end);

/// Returns the last line that is not blank, without spaces behind it; empty if there is none.
std::string lastLine(std::string text);

/// Returns how many processes the system killed for lack of memory since boot; 0 if unknown.
std::int64_t systemOomKills();

/// A program in its own session, so that it survives a closed terminal, Ctrl-C or a kill of this process. Its stdout
/// and stderr are piped to this object. Not thread-safe, except for signal().
class ChildProcess {
 public:
  /// Starts a program. `command`: its path, then its arguments. `input`: content of its stdin. Fails with NotFound or
  /// Io.
  static Result<ChildProcess> start(const std::vector<std::string>& command, const std::string& input);
  ChildProcess(ChildProcess&&) = default;
  ChildProcess& operator=(ChildProcess&&) = default;
  /// Leaves a running child running; a detached thread reaps it.
  ~ChildProcess();

  pid_t id() const { return process_.id; }
  /// Returns what has arrived on stdout; waits up to `waitMs` for output or an end.
  std::string read(int waitMs);
  /// Returns how it ended, or nothing while it runs. Output left in the pipes can still be read.
  std::optional<ChildExit> ended();
  void signal(int number) const;

 private:
  struct ProcessId {  // move-only: the source loses the id
    pid_t id = -1;
    ProcessId() = default;
    explicit ProcessId(pid_t process) : id(process) {}
    ProcessId(ProcessId&& other) noexcept : id(std::exchange(other.id, -1)) {}
    ProcessId& operator=(ProcessId&& other) noexcept {
      std::swap(id, other.id);
      return *this;
    }
  };
  ChildProcess(pid_t process, FileDescriptor out, FileDescriptor err);
  void readStderr();

  ProcessId process_;
  FileDescriptor out_, err_;
  std::optional<ChildExit> end_;
  std::string stderrTail_;
  std::int64_t oomKillsBefore_ = 0;
};

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
