// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>

#include <filesystem>

#include "core/dist/mpi_world.h"

namespace batchwise {
namespace {

constexpr const char* kLibraryName = "libbatchwise_mpi.so";

// The folder of the program or library that this function is part of.
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
  // MPI's own plug-ins look for its symbols among those of the whole process; it is never unloaded.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (library == nullptr)
    return Error::unsupported("ranks on processors talk over MPI, but " + path.string() +
                              " cannot be loaded: " + dlerror() + "; install libopenmpi-dev and build again");
  const auto make = reinterpret_cast<MakeMpiWorldFunction>(dlsym(library, kMakeMpiWorldSymbol));
  if (make == nullptr) return Error::unsupported(path.string() + " is no MPI library of Batchwise");
  std::string error;
  std::shared_ptr<MpiWorld> world(make(&error));
  if (world == nullptr) return Error{ErrorCode::Device, error, {}};
  return world;
}

}  // namespace batchwise
