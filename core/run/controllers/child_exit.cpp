// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/child_exit.h"

#include <csignal>
#include <cstring>
#include <fstream>

#include "core/run/messages.h"

namespace batchwise {
namespace {

std::string signalName(int number) {
  const char* short_ = sigabbrev_np(number);
  return short_ == nullptr ? "signal " + std::to_string(number) : "SIG" + std::string(short_);
}

std::string lastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

Message whatHappened(const ChildExit& end) {
  if (!end.bySignal) return messages::runProcessExitedWithCode(end.number);
  const std::string name = "(" + signalName(end.number) + ")";
  switch (end.number) {
    case SIGKILL:
      return end.oomKills > 0 ? messages::runProcessKilledOutOfMemory(name) : messages::runProcessKilled(name);
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT: return messages::runProcessCrashed(name);
    default: return messages::runProcessEndedBySignal(name);
  }
}

}  // namespace

Message describeExit(const ChildExit& end) {
  const std::string output = end.bySignal && end.number == SIGKILL ? "" : lastLine(end.stderrTail);
  return output.empty() ? whatHappened(end) : messages::inContext(whatHappened(end), output);
}

std::int64_t systemOomKills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  std::int64_t count = 0;
  while (file >> name >> count)
    if (name == "oom_kill") return count;
  return 0;
}

}  // namespace batchwise
