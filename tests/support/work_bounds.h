// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace batchwise::test {

/// Checks that the work on a hostile file keeps within what is promised for any: 10 s of processor time, which a busy
/// machine does not change, and 300 MB, of this process and of the programs that it has started. Counts from its
/// making.
class WorkBounds {
 public:
  void expectKept(const std::string& what) const {
    EXPECT_LT(cpuSeconds() - started_, 10.0) << what;
    EXPECT_LT(std::max(peakKilobytes(RUSAGE_SELF) - before_, peakKilobytes(RUSAGE_CHILDREN)), 300'000) << what;
  }

 private:
  static rusage usageOf(__rusage_who who) {
    rusage usage{};
    ::getrusage(who, &usage);
    return usage;
  }
  static double cpuSeconds() {
    double seconds = 0;
    for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      const rusage usage = usageOf(who);
      for (const timeval& part : {usage.ru_utime, usage.ru_stime})
        seconds += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
    }
    return seconds;
  }
  static std::int64_t peakKilobytes(__rusage_who who) { return usageOf(who).ru_maxrss; }

  double started_ = cpuSeconds();
  std::int64_t before_ = peakKilobytes(RUSAGE_SELF);
};

}  // namespace batchwise::test
