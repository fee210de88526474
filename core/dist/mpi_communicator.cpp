// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/mpi_communicator.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "core/base/result.h"
#include "core/dist/messages.h"

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

class MpiCommunicator final : public LineCommunicator {
 public:
  MpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankLine> ownLine)
      : LineCommunicator(std::move(ownLine)),
        world_(std::move(world)),
        sums_([this](const at::Tensor& tensor) { return allReduceTensors({tensor}); }) {}

  Result<void> allReduceTensors(const std::vector<at::Tensor>& tensors) override {
    return runCollective(tensors, [this](const at::Tensor& tensor) -> Result<MpiWorld::Progress> {
      const auto kind = numberKind(tensor.scalar_type());
      if (!kind) return Error::internal(messages::ranksCannotSumType(c10::toString(tensor.scalar_type())));
      return world_->startSum(tensor.data_ptr(), tensor.numel(), *kind);
    });
  }

  void startAllReduce(const at::Tensor& tensor) override { sums_.begin(tensor); }
  Result<void> finishAllReduces() override { return sums_.finish(); }

  Result<void> broadcastTensors(const std::vector<at::Tensor>& tensors) override {
    return runCollective(tensors, [this](const at::Tensor& tensor) {
      return world_->startCopy(tensor.data_ptr(), static_cast<std::int64_t>(tensor.nbytes()));
    });
  }

 private:
  static std::optional<MpiWorld::Number> numberKind(at::ScalarType type) {
    if (type == at::kFloat) return MpiWorld::Number::Float32;
    if (type == at::kDouble) return MpiWorld::Number::Float64;
    if (type == at::kLong) return MpiWorld::Number::Int64;
    return std::nullopt;
  }

  template <typename Start>
  Result<void> runCollective(const std::vector<at::Tensor>& tensors, const Start& start) {
    line().arrive();
    std::vector<MpiWorld::Progress> running;
    for (const at::Tensor& tensor : tensors) {
      ASSIGN_OR_RETURN(auto started, start(tensor));
      running.push_back(std::move(started));
    }
    for (std::int64_t polls = 0;; ++polls) {
      bool done = true;
      for (const MpiWorld::Progress& progress : running) {
        ASSIGN_OR_RETURN(const bool complete, progress());
        done = done && complete;
      }
      if (done) return {};
      if (auto error = line().error()) {
        world_->skipFinalize();
        return *error;
      }
      backOff(polls);
    }
  }

  // Ranks on the same host share its processors, so yield.
  static void backOff(std::int64_t polls) {
    if (polls < 200) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(std::min<std::int64_t>(polls / 10, 500)));
  }

  const std::shared_ptr<MpiWorld> world_;
  AllReduceWorker sums_;  // last member: joined first
};

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

std::unique_ptr<Communicator> makeMpiCommunicator(std::shared_ptr<MpiWorld> world, std::shared_ptr<RankLine> line) {
  return std::make_unique<MpiCommunicator>(std::move(world), std::move(line));
}

}  // namespace batchwise
