// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stop_signals.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>
#include <mutex>
#include <vector>

namespace batchwise::test {
namespace {

TEST(StopSignalsTest, SignalsOfOneSecondAreOneRequest) {
  std::mutex mutex;
  std::vector<int> counts;
  const auto sent = [&](std::initializer_list<int> numbers) {
    for (const int number : numbers) {
      kill(getpid(), number);
      usleep(20'000);
    }
    const std::scoped_lock lock(mutex);
    return counts;
  };
  cli::StopSignals signals([&](int count) {
    const std::scoped_lock lock(mutex);
    counts.push_back(count);
  });
  EXPECT_EQ(sent({SIGTERM, SIGTERM, SIGINT, SIGHUP}), (std::vector{1}));
  usleep(1'100'000);
  EXPECT_EQ(sent({SIGINT, SIGINT}), (std::vector{1, 2}));
}

}  // namespace
}  // namespace batchwise::test
