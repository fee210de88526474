// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

namespace batchwise {

/// Calls work(begin, end) for parts of [0, count), at least `grain` items each (but for the last), in LibTorch's
/// threads. Exceptions reach the caller.
void parallelFor(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work);

/// Calls work() once in each of LibTorch's threads; perhaps only in this one, if it is already inside such a call.
void inEachThread(const std::function<void()>& work);

}  // namespace batchwise
