// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <errno.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// The value, or the end of the program with the error on stderr.
template <typename T>
T orExit(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, result.error().text().c_str());
    std::exit(1);
  }
  return std::move(*result);
}
inline void orExit(const Result<void>& result) {
  if (result.ok()) return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, result.error().text().c_str());
  std::exit(1);
}

inline double secondsOf(const std::function<void()>& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of all threads of this process: what others do on the machine hardly changes it.
inline double cpuSecondsOf(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begun = now();
  work();
  return now() - begun;
}

}  // namespace batchwise
