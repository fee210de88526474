// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>

#include <filesystem>

#include "core/base/format.h"
#include "core/dist/communicator.h"
#include "core/dist/mpi_world.h"

namespace batchwise {
namespace {

// Folder of the program or library that contains this function.
std::filesystem::path ownFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&ownFolder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  return std::filesystem::canonical(info.dli_fname, failed).parent_path();
}

std::optional<MpiWorld::Operation> sumOf(at::ScalarType type) {
  if (type == at::kFloat) return MpiWorld::Operation::SumFloat32;
  if (type == at::kDouble) return MpiWorld::Operation::SumFloat64;
  if (type == at::kLong) return MpiWorld::Operation::SumInt64;
  return std::nullopt;
}

std::optional<MpiWorld::Operation> copyOf(at::ScalarType /*type*/) {
  return MpiWorld::Operation::Broadcast;
}

}  // namespace

Result<std::shared_ptr<MpiWorld>> openMpiWorld() {
  const std::filesystem::path path = ownFolder() / "libbatchwise_mpi.so";
  // RTLD_GLOBAL: MPI's plug-ins look up its symbols in the process. Never unloaded.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (library == nullptr)
    return Error::unsupported(formatText(
        "ranks on CPUs communicate over MPI, but {} cannot be loaded: {}; install libopenmpi-dev and build again",
        path.string(), dlerror()));
  const auto make = reinterpret_cast<MakeMpiWorldFunction>(dlsym(library, "batchwiseMakeMpiWorld"));
  if (make == nullptr)
    return Error::unsupported(formatText("{} is not an MPI library built for Batchwise", path.string()));
  std::string error;
  std::shared_ptr<MpiWorld> world(make(&error));
  if (world == nullptr) return Error{ErrorCode::Device, error, {}};
  return world;
}

std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankLine> line) {
  const auto collective = [&](std::optional<MpiWorld::Operation> (*operationOf)(at::ScalarType)) {
    return [world, line, operationOf](const std::vector<at::Tensor>& tensors) -> Result<void> {
      line->arrive();
      std::vector<MpiWorld::Collective> collectives;
      for (const at::Tensor& tensor : tensors) {
        const auto operation = operationOf(tensor.scalar_type());
        if (!operation) return Error::internal(formatText("ranks cannot sum {}", c10::toString(tensor.scalar_type())));
        collectives.push_back({*operation, tensor.data_ptr(), static_cast<std::int64_t>(tensor.nbytes())});
      }
      return world->run(collectives, [&] { return line->error(); });
    };
  };
  return std::make_unique<BlockingCommunicator>(line, collective(&sumOf), collective(&copyOf));
}

}  // namespace batchwise
