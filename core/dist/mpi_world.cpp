// SPDX-License-Identifier: GPL-3.0-or-later
// libbatchwise_mpi.so: the only file that includes mpi.h.
#include "core/dist/mpi_world.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>

#include "core/base/format.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 30;  // MPI counts in int

Error mpiError(int code, const std::string& what) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return Error{ErrorCode::Device, formatText("MPI: {}: {}", what, text.data()), {}};
}

// Ranks on the same host share its processors, so yield.
void backOff(std::int64_t polls) {
  if (polls < 200)
    sched_yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(std::min<std::int64_t>(polls / 10, 500)));
}

int startSum(void* numbers, std::int64_t bytes, std::size_t each, MPI_Datatype type, MPI_Request* request) {
  return MPI_Iallreduce(MPI_IN_PLACE, numbers, static_cast<int>(bytes) / static_cast<int>(each), type, MPI_SUM,
                        MPI_COMM_WORLD, request);
}

int startOne(const MpiWorld::Collective& one, MPI_Request* request) {
  switch (one.operation) {
    case MpiWorld::Operation::SumFloat32: return startSum(one.memory, one.bytes, sizeof(float), MPI_FLOAT, request);
    case MpiWorld::Operation::SumFloat64: return startSum(one.memory, one.bytes, sizeof(double), MPI_DOUBLE, request);
    case MpiWorld::Operation::SumInt64:
      return startSum(one.memory, one.bytes, sizeof(std::int64_t), MPI_INT64_T, request);
    case MpiWorld::Operation::Broadcast: break;
  }
  return MPI_Ibcast(one.memory, static_cast<int>(one.bytes), MPI_BYTE, 0, MPI_COMM_WORLD, request);
}

class OpenMpiWorld final : public MpiWorld {
 public:
  OpenMpiWorld() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~OpenMpiWorld() override {
    if (!skipFinalize_) MPI_Finalize();
  }
  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return size_; }

  Result<void> run(const std::vector<Collective>& collectives,
                   const std::function<std::optional<Error>()>& broken) override {
    std::vector<MPI_Request> running;
    for (const Collective& whole : collectives)
      for (std::int64_t done = 0; done < whole.bytes; done += kMaxBytes) {
        const Collective piece{whole.operation, static_cast<char*>(whole.memory) + done,
                               std::min(kMaxBytes, whole.bytes - done)};
        const int code = startOne(piece, &running.emplace_back(MPI_REQUEST_NULL));
        if (code != MPI_SUCCESS) return mpiError(code, "starting a sum");
      }
    for (std::int64_t polls = 0;; ++polls) {
      int done = 0;
      const int code = MPI_Testall(static_cast<int>(running.size()), running.data(), &done, MPI_STATUSES_IGNORE);
      if (code != MPI_SUCCESS) return mpiError(code, "waiting for the other ranks");
      if (done != 0) return {};
      if (const auto error = broken()) {
        skipFinalize();
        return *error;
      }
      backOff(polls);
    }
  }
  Result<std::vector<std::string>> allGatherTexts(const std::string& own) override {
    const auto length = static_cast<int>(own.size());
    std::vector<int> lengths(static_cast<std::size_t>(size_)), starts(lengths.size());
    int code = MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
    std::string together(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
    if (code == MPI_SUCCESS)
      code = MPI_Allgatherv(own.data(), length, MPI_BYTE, together.data(), lengths.data(), starts.data(), MPI_BYTE,
                            MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) return mpiError(code, "connecting to the other ranks");
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank)
      texts.push_back(together.substr(static_cast<std::size_t>(starts[rank]), static_cast<std::size_t>(lengths[rank])));
    return texts;
  }
  void skipFinalize() override { skipFinalize_ = true; }

 private:
  int rank_ = 0;
  int size_ = 1;
  bool skipFinalize_ = false;
};

}  // namespace
}  // namespace batchwise

extern "C" __attribute__((visibility("default"))) batchwise::MpiWorld* batchwiseMakeMpiWorld(std::string* error) {
  int provided = MPI_THREAD_SINGLE;
  const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (code != MPI_SUCCESS || provided < MPI_THREAD_SERIALIZED) {
    *error = code != MPI_SUCCESS ? batchwise::mpiError(code, "starting").text()
                                 : std::string("this MPI library does not allow calls from several threads");
    return nullptr;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return new batchwise::OpenMpiWorld;
}
