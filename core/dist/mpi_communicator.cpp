// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "core/base/format.h"
#include "core/base/process_setup.h"
#include "core/dist/communicator.h"
#include "core/dist/mpi_world.h"

namespace batchwise {
namespace {

std::optional<MpiWorld::Operation> sumOf(at::ScalarType type) {
  if (type == at::kFloat) return MpiWorld::Operation::SumFloat32;
  if (type == at::kDouble) return MpiWorld::Operation::SumFloat64;
  if (type == at::kLong) return MpiWorld::Operation::SumInt64;
  return std::nullopt;
}

std::optional<MpiWorld::Operation> copyOf(at::ScalarType /*type*/) {
  return MpiWorld::Operation::Broadcast;
}

// Starts what operationOf() says with each tensor, and waits for all.
Result<void> runAll(MpiWorld& world, RankLine& line, const std::vector<at::Tensor>& tensors,
                    std::optional<MpiWorld::Operation> (*operationOf)(at::ScalarType)) {
  line.arrive();
  std::vector<MpiWorld::Collective> collectives;
  for (const at::Tensor& tensor : tensors) {
    const auto operation = operationOf(tensor.scalar_type());
    if (!operation) return Error::internal(formatText("ranks cannot sum {}", c10::toString(tensor.scalar_type())));
    collectives.push_back({*operation, tensor.data_ptr(), static_cast<std::int64_t>(tensor.nbytes())});
  }
  return world.run(collectives, [&line] { return line.error(); });
}

class MpiCommunicator final : public BlockingCommunicator {
 public:
  MpiCommunicator(const std::shared_ptr<MpiWorld>& world, const std::shared_ptr<RankLine>& line)
      : BlockingCommunicator(
            line, [=](const std::vector<at::Tensor>& tensors) { return runAll(*world, *line, tensors, &sumOf); },
            [=](const std::vector<at::Tensor>& tensors) { return runAll(*world, *line, tensors, &copyOf); }) {}

  Result<void> allReduceValues(std::span<double> values) override {
    values_ = at::empty({std::ssize(values)}, at::kDouble);
    std::copy(values.begin(), values.end(), values_.data_ptr<double>());
    RETURN_IF_ERROR(allReduceTensors({values_}));
    std::copy_n(values_.data_ptr<double>(), values.size(), values.begin());
    return {};
  }

 private:
  at::Tensor values_;  // outlives a sum that is given up: MPI may write to it until the process ends
};

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

std::unique_ptr<Communicator> makeMpiCommunicator(const std::shared_ptr<MpiWorld>& world,
                                                  const std::shared_ptr<RankLine>& line) {
  return std::make_unique<MpiCommunicator>(world, line);
}

}  // namespace batchwise
