// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace batchwise {

/// How a process ended.
struct ChildEnd {
  bool bySignal = false;
  int number = 0;                ///< exit code, or signal
  std::int64_t memoryKills = 0;  ///< processes that the system killed for memory while it ran
  std::string lastWords;         ///< the end of what it wrote to stderr
};

/// As a person reads it: "was killed (SIGKILL), probably because memory ran out". With the last line of what it said.
std::string deathReason(const ChildEnd& end);

/// Processes that the system has killed for memory since it started; 0 if it does not tell.
std::int64_t systemMemoryKills();

}  // namespace batchwise
