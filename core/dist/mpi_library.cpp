// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>

#include <filesystem>

#include "core/dist/messages.h"
#include "core/dist/mpi_world.h"

namespace batchwise {
namespace {

constexpr const char* kLibraryName = "libbatchwise_mpi.so";

// Folder of the program or library that contains this function.
std::filesystem::path ownFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&ownFolder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? std::filesystem::path() : file.parent_path();
}

}  // namespace

Result<std::shared_ptr<MpiWorld>> openMpiWorld() {
  const std::filesystem::path path = ownFolder() / kLibraryName;
  // RTLD_GLOBAL: MPI's plug-ins look up its symbols in the process. Never unloaded.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (library == nullptr) return Error::unsupported(messages::mpiCannotBeLoaded(path.string(), dlerror()));
  const auto make = reinterpret_cast<MakeMpiWorldFunction>(dlsym(library, kMakeMpiWorldSymbol));
  if (make == nullptr) return Error::unsupported(messages::mpiLibraryNotBatchwise(path.string()));
  std::string error;
  std::shared_ptr<MpiWorld> world(make(&error));
  if (world == nullptr) return Error{ErrorCode::Device, error, {}};
  return world;
}

}  // namespace batchwise
