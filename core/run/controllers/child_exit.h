// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/message.h"

namespace batchwise {

/// How a process ended.
struct ChildExit {
  bool bySignal = false;
  int number = 0;             ///< exit code, or signal number
  std::int64_t oomKills = 0;  ///< processes killed by the system for lack of memory while it ran
  std::string stderrTail;     ///< end of its stderr
};

/// Describes the end in words: "was killed (SIGKILL), probably because memory ran out", with the last line of stderr.
Message describeExit(const ChildExit& end);

/// Returns how many processes the system killed for lack of memory since boot; 0 if unknown.
std::int64_t systemOomKills();

}  // namespace batchwise
