// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/driver_memory.h"

#include <dlfcn.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace batchwise {
namespace {

// The used part of NVML's C interface, declared here because the driver comes without the header. Unchanged since NVML
// 5.
using NvmlDevice = void*;
struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
constexpr int kNvmlSuccess = 0;

struct Unload {
  void operator()(void* library) const { dlclose(library); }
};

}  // namespace

struct NvmlLibrary::Functions {
  std::unique_ptr<void, Unload> library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*deviceByUuid)(const char*, NvmlDevice*) = nullptr;
  int (*memoryInfo)(NvmlDevice, NvmlMemory*) = nullptr;

  bool findAll() {
    const auto find = [this](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library.get(), name));
      return function != nullptr;
    };
    return find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
           find(deviceByUuid, "nvmlDeviceGetHandleByUUID") && find(memoryInfo, "nvmlDeviceGetMemoryInfo");
  }
};

NvmlLibrary::NvmlLibrary(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}

NvmlLibrary::~NvmlLibrary() {
  functions_->shutdown();
}

std::unique_ptr<NvmlLibrary> NvmlLibrary::load(const std::string& file) {
  auto functions = std::make_unique<Functions>();
  functions->library.reset(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (functions->library == nullptr || !functions->findAll() || functions->init() != kNvmlSuccess) return nullptr;
  return std::unique_ptr<NvmlLibrary>(new NvmlLibrary(std::move(functions)));
}

std::int64_t NvmlLibrary::usedBytes(const std::string& uuid) const {
  NvmlDevice device = nullptr;
  NvmlMemory memory{};
  if (functions_->deviceByUuid(uuid.c_str(), &device) != kNvmlSuccess) return 0;
  if (functions_->memoryInfo(device, &memory) != kNvmlSuccess) return 0;
  return static_cast<std::int64_t>(memory.used);
}

std::string nvmlUuid(const char* bytes) {
  constexpr std::size_t kBytes = 16;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < kBytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xF];
  }
  return text;
}

std::int64_t driverUsedBytes(const char* uuidBytes) {
  // Never unloaded, because threads may outlive static objects.
  static const NvmlLibrary* const library = NvmlLibrary::load().release();
  return library == nullptr ? 0 : library->usedBytes(nvmlUuid(uuidBytes));
}

}  // namespace batchwise
