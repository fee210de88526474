// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/child_death.h"

#include <csignal>
#include <cstring>
#include <fstream>

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

std::string whatHappened(const ChildEnd& end) {
  if (!end.bySignal) return "its process ended with exit code " + std::to_string(end.number);
  const std::string name = "(" + signalName(end.number) + ")";
  switch (end.number) {
    case SIGKILL:
      return "its process was killed " + name + (end.memoryKills > 0 ? ", probably because memory ran out" : "");
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT: return "its process crashed " + name;
    default: return "its process was ended by a signal " + name;
  }
}

}  // namespace

std::string deathReason(const ChildEnd& end) {
  const std::string words = end.bySignal && end.number == SIGKILL ? "" : lastLine(end.lastWords);
  return whatHappened(end) + (words.empty() ? "" : ": " + words);
}

std::int64_t systemMemoryKills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  std::int64_t count = 0;
  while (file >> name >> count)
    if (name == "oom_kill") return count;
  return 0;
}

}  // namespace batchwise
