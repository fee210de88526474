// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>
#include <mutex>
#include <vector>

#include "app/cli/foreground_run.h"

namespace batchwise::test {
namespace {

TEST(StopSignalsTest, SignalsOfOneSecondAreOneRequest) {
  std::mutex mutex;
  std::vector<int> counts;
  const auto send = [](std::initializer_list<int> numbers) {
    for (const int number : numbers) {
      kill(getpid(), number);
      usleep(20'000);
    }
  };
  /// Waits for so many requests, however late the thread that reports them runs, and then for one too many.
  const auto requests = [&](std::size_t least) {
    for (int polls = 0; polls < 3000; ++polls, usleep(10'000))
      if (const std::scoped_lock lock(mutex); counts.size() >= least) break;
    usleep(100'000);
    const std::scoped_lock lock(mutex);
    return counts;
  };
  cli::StopSignals signals([&](int count) {
    const std::scoped_lock lock(mutex);
    counts.push_back(count);
  });
  send({SIGTERM, SIGTERM, SIGINT, SIGHUP});
  EXPECT_EQ(requests(1), (std::vector{1}));
  usleep(2'000'000);
  send({SIGINT, SIGINT});
  EXPECT_EQ(requests(2), (std::vector{1, 2}));
}

}  // namespace
}  // namespace batchwise::test
