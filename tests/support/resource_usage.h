// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

namespace batchwise::test {

/// Returns the processor time, in seconds, of this process and of the child processes that have ended: unlike the wall
/// clock, other programs on the machine do not change it.
inline double cpuSeconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
  }
  return seconds;
}

/// What a work on a file from elsewhere may take, in kilobytes. The shadow memory of a sanitizer counts in.
#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t kMostKilobytes = 1'200'000;
#else
constexpr std::int64_t kMostKilobytes = 300'000;
#endif

/// Returns the largest resident set so far, in kilobytes, of `who`: RUSAGE_SELF, or the largest of RUSAGE_CHILDREN.
inline std::int64_t peakKilobytes(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return usage.ru_maxrss;
}

/// As above, of this process or of its largest child.
inline std::int64_t peakKilobytes() {
  return std::max(peakKilobytes(RUSAGE_SELF), peakKilobytes(RUSAGE_CHILDREN));
}

}  // namespace batchwise::test
