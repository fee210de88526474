// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu_kernels.h"

namespace batchwise {

extern const CpuKernels<float> kFloatKernelsBaseline, kFloatKernelsV3, kFloatKernelsV4;
extern const CpuKernels<Bf16> kBf16KernelsBaseline, kBf16KernelsV3, kBf16KernelsV4;
extern const CpuKernels<Fp16> kFp16KernelsBaseline, kFp16KernelsV3, kFp16KernelsV4;

namespace {

constexpr const char* kLevelNames[] = {"baseline", "x86-64-v3", "x86-64-v4"};

/// Returns the index in kLevelNames of the widest level that this processor supports.
int widestLevel() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512cd");
  return v4 ? 2 : (v3 ? 1 : 0);
}

template <typename Element>
const CpuKernels<Element>* kernelsAt(int level);
template <>
const CpuKernels<float>* kernelsAt<float>(int level) {
  const CpuKernels<float>* const tables[] = {&kFloatKernelsBaseline, &kFloatKernelsV3, &kFloatKernelsV4};
  return tables[level];
}
template <>
const CpuKernels<Bf16>* kernelsAt<Bf16>(int level) {
  const CpuKernels<Bf16>* const tables[] = {&kBf16KernelsBaseline, &kBf16KernelsV3, &kBf16KernelsV4};
  return tables[level];
}
template <>
const CpuKernels<Fp16>* kernelsAt<Fp16>(int level) {
  const CpuKernels<Fp16>* const tables[] = {&kFp16KernelsBaseline, &kFp16KernelsV3, &kFp16KernelsV4};
  return tables[level];
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
  for (int level = 0; level <= widest; ++level) levels[level] = {kLevelNames[level], kernelsAt<Element>(level)};
  return widest + 1;
}
template int cpuKernelLevels<float>(CpuKernelLevel<float> (&levels)[3]);
template int cpuKernelLevels<Bf16>(CpuKernelLevel<Bf16> (&levels)[3]);
template int cpuKernelLevels<Fp16>(CpuKernelLevel<Fp16> (&levels)[3]);

}  // namespace batchwise
