// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

namespace batchwise::test {

/// Returns the CPU time, in seconds, of this process and of its ended child processes. Unlike wall time it does not
/// depend on other programs.
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

/// Limit of memory for work on an untrusted file, in kilobytes, including the shadow memory of a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t kMaxKilobytes = 1'200'000;
#else
constexpr std::int64_t kMaxKilobytes = 300'000;
#endif

/// Returns the peak resident set size, in kilobytes, of `who`: RUSAGE_SELF, or the largest of RUSAGE_CHILDREN.
inline std::int64_t peakKilobytes(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return usage.ru_maxrss;
}

/// Returns the larger of the two, in kilobytes.
inline std::int64_t peakKilobytes() {
  return std::max(peakKilobytes(RUSAGE_SELF), peakKilobytes(RUSAGE_CHILDREN));
}

}  // namespace batchwise::test
