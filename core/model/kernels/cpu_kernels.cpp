// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/kernels/cpu_kernels.h"

#include <type_traits>

namespace batchwise {

extern const CpuKernelSet kKernelsBaseline, kKernelsV3, kKernelsV4;

namespace {

constexpr struct {
  const char* name;
  const CpuKernelSet* kernels;
} kLevels[] = {{"baseline", &kKernelsBaseline}, {"x86-64-v3", &kKernelsV3}, {"x86-64-v4", &kKernelsV4}};

/// Returns the index in kLevels of the widest level that this processor supports.
int widestLevel() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512cd");
  return v4 ? 2 : (v3 ? 1 : 0);
}

template <typename Element>
const CpuKernels<Element>* kernelsAt(int level) {
  const CpuKernelSet& all = *kLevels[level].kernels;
  if constexpr (std::is_same_v<Element, float>)
    return &all.ofFloat;
  else if constexpr (std::is_same_v<Element, Bf16>)
    return &all.ofBf16;
  else
    return &all.ofFp16;
}

}  // namespace

template <typename Element>
const CpuKernels<Element>& cpuKernels() {
  static const CpuKernels<Element>* const kernels = kernelsAt<Element>(widestLevel());
  return *kernels;
}
template const CpuKernels<float>& cpuKernels<float>();
template const CpuKernels<Bf16>& cpuKernels<Bf16>();
template const CpuKernels<Fp16>& cpuKernels<Fp16>();

template <typename Element>
int cpuKernelLevels(CpuKernelLevel<Element> (&levels)[3]) {
  const int widest = widestLevel();
  for (int level = 0; level <= widest; ++level) levels[level] = {kLevels[level].name, kernelsAt<Element>(level)};
  return widest + 1;
}
template int cpuKernelLevels<float>(CpuKernelLevel<float> (&levels)[3]);
template int cpuKernelLevels<Bf16>(CpuKernelLevel<Bf16> (&levels)[3]);
template int cpuKernelLevels<Fp16>(CpuKernelLevel<Fp16> (&levels)[3]);

}  // namespace batchwise
