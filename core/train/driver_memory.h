// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace batchwise {

/// The management library of NVIDIA's driver (NVML), loaded while running. It sees all programs on a GPU, where the
/// allocator sees its own tensors only.
class DriverLibrary {
 public:
  /// Nothing if there is no such library, it lacks a function, or does not start, as without a driver. `file`: as
  /// dlopen() takes it.
  static std::unique_ptr<DriverLibrary> load(const std::string& file = "libnvidia-ml.so.1");
  ~DriverLibrary();
  DriverLibrary(const DriverLibrary&) = delete;
  DriverLibrary& operator=(const DriverLibrary&) = delete;

  /// Bytes in use on the GPU of this name ("GPU-5c1d…"); 0 if the driver does not say. Any thread.
  std::int64_t usedBytes(const std::string& uuid) const;

 private:
  struct Functions;
  explicit DriverLibrary(std::unique_ptr<Functions> functions);
  const std::unique_ptr<Functions> functions_;
};

/// The name that the driver has for the GPU with these 16 bytes as CUDA's UUID.
std::string driverUuid(const char* bytes);

/// DriverLibrary::usedBytes() of the system's library, which is loaded by the first call, for the GPU with these 16
/// bytes as CUDA's UUID. 0 without the library. Any thread.
std::int64_t driverUsedBytes(const char* uuidBytes);

}  // namespace batchwise
