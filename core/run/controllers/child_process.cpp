// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "core/base/format.h"
#include "core/base/result.h"

namespace batchwise {
namespace {

std::string signalName(int number) {
  const char* short_ = sigabbrev_np(number);
  return short_ == nullptr ? "signal " + std::to_string(number) : "SIG" + std::string(short_);
}

std::string whatHappened(const ChildExit& end) {
  if (!end.bySignal) return formatText("its process ended with exit code {}", end.number);
  const std::string name = "(" + signalName(end.number) + ")";
  switch (end.number) {
    case SIGKILL:
      return end.oomKills > 0 ? formatText("its process was killed {}, probably because memory ran out", name)
                              : formatText("its process was killed {}", name);
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT: return formatText("its process crashed {}", name);
    default: return formatText("its process was ended by a signal {}", name);
  }
}

constexpr std::size_t kStderrTailBytes = 4096;

struct Pipe {
  FileDescriptor from, to;
};

Result<Pipe> makePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error::fromErrno(errno, "cannot create '{}'", "a pipe");
  Pipe pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  ::fcntl(pipe.from.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

/// Returns an in-memory file with `input`: unlike a pipe it takes any size without a reader.
Result<FileDescriptor> inputFile(const std::string& input) {
  FileDescriptor file(::memfd_create("request", MFD_CLOEXEC));
  std::size_t done = 0;
  while (file.valid() && done < input.size()) {
    const ssize_t written = ::write(file.get(), input.data() + done, input.size() - done);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  if (!file.valid() || done < input.size() || ::lseek(file.get(), 0, SEEK_SET) != 0)
    return Error::fromErrno(errno, "cannot prepare '{}'", "the input of a process");
  return file;
}

/// Reads what is available now.
std::string readAvailable(FileDescriptor& from) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  while (from.valid()) {
    const ssize_t size = ::read(from.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    if (size <= 0) {
      from = FileDescriptor();
      break;
    }
    bytes.append(buffer.data(), static_cast<std::size_t>(size));
    if (bytes.size() >= 16 * buffer.size()) break;  // the rest at the next call
  }
  return bytes;
}

Result<pid_t> spawn(std::vector<std::string> command, int in, int out, int err) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  const int failed = ::posix_spawn(&process, command.front().c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return Error::fromErrno(failed, "cannot start '{}'", command.front());
  return process;
}

}  // namespace

std::string lastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

std::string describeExit(const ChildExit& end) {
  const std::string output = end.bySignal && end.number == SIGKILL ? "" : lastLine(end.stderrTail);
  return output.empty() ? whatHappened(end) : inContextText(whatHappened(end), output);
}

std::int64_t systemOomKills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  std::int64_t count = 0;
  while (file >> name >> count)
    if (name == "oom_kill") return count;
  return 0;
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command, const std::string& input) {
  ASSIGN_OR_RETURN(auto in, inputFile(input));
  ASSIGN_OR_RETURN(auto out, makePipe());
  ASSIGN_OR_RETURN(auto err, makePipe());
  ASSIGN_OR_RETURN(const auto process, spawn(command, in.get(), out.to.get(), err.to.get()));
  return ChildProcess(process, std::move(out.from), std::move(err.from));
}

ChildProcess::ChildProcess(pid_t process, FileDescriptor out, FileDescriptor err)
    : process_(process), out_(std::move(out)), err_(std::move(err)), oomKillsBefore_(systemOomKills()) {}

ChildProcess::~ChildProcess() {
  if (process_.id < 0 || ended()) return;
  std::thread([process = process_.id] {
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }).detach();
}

std::string ChildProcess::read(int waitMs) {
  std::array<pollfd, 2> watched = {{{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};  // poll() ignores -1
  ::poll(watched.data(), watched.size(), waitMs);
  readStderr();
  return readAvailable(out_);
}

void ChildProcess::readStderr() {
  stderrTail_ += readAvailable(err_);
  if (stderrTail_.size() > kStderrTailBytes) stderrTail_.erase(0, stderrTail_.size() - kStderrTailBytes);
}

std::optional<ChildExit> ChildProcess::ended() {
  if (end_ || process_.id < 0) return end_;
  int status = 0;
  if (::waitpid(process_.id, &status, WNOHANG) != process_.id) return std::nullopt;
  readStderr();
  const bool bySignal = WIFSIGNALED(status);
  end_ = ChildExit{bySignal, bySignal ? WTERMSIG(status) : WEXITSTATUS(status), systemOomKills() - oomKillsBefore_,
                   stderrTail_};
  return end_;
}

void ChildProcess::signal(int number) const {
  if (process_.id > 0 && !end_) ::kill(process_.id, number);
}

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
  constexpr std::int64_t kLastBytes = 1 << 16;
  LogTail tail(most, longestLine);
  tail.follow(file);
  tail.skip(kLastBytes);
  if (tail.position() <= from) tail.seek(from);
  return tail.poll().lines;
}

}  // namespace batchwise
