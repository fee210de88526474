// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

namespace batchwise {

/// Calls work(begin, end) for ranges of [0, count) of at least `grain` items (except the last), on LibTorch's threads.
/// Propagates exceptions.
void parallelFor(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work);

/// Calls work() once on each of LibTorch's threads; inside a parallel region possibly only on the calling thread.
void runOnEachThread(const std::function<void()>& work);

}  // namespace batchwise
