// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace batchwise {

/// NVIDIA's management library (NVML), loaded at run time. It reports the memory of all programs on a GPU; the
/// allocator knows only its own tensors.
class NvmlLibrary {
 public:
  /// Returns null if the library is missing, lacks a function or fails to initialize (no driver). `file`: as in
  /// dlopen().
  static std::unique_ptr<NvmlLibrary> load(const std::string& file = "libnvidia-ml.so.1");
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  /// Returns the bytes in use on the GPU with this UUID ("GPU-5c1d…"); 0 if NVML does not report them. Thread-safe.
  std::int64_t usedBytes(const std::string& uuid) const;

 private:
  struct Functions;
  explicit NvmlLibrary(std::unique_ptr<Functions> functions);
  const std::unique_ptr<Functions> functions_;
};

/// Formats the 16 bytes of CUDA's UUID as NVML does.
std::string nvmlUuid(const char* bytes);

/// Returns usedBytes() of the system's library, loaded by the first call, for the GPU with these 16 UUID bytes; 0
/// without the library. Thread-safe.
std::int64_t driverUsedBytes(const char* uuidBytes);

}  // namespace batchwise
