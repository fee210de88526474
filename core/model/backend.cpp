// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/backend.h"

#include <ATen/Parallel.h>

// at::parallel_for is inlined OpenMP code, so the calling file must be compiled with -fopenmp: this one.

namespace batchwise {

void parallelFor(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& work) {
  at::parallel_for(0, count, grain, work);
}

void runOnEachThread(const std::function<void()>& work) {
  at::parallel_for(0, at::get_num_threads(), 1, [&work](std::int64_t, std::int64_t) { work(); });
}

}  // namespace batchwise
