// SPDX-License-Identifier: GPL-3.0-or-later
// libbatchwise_mpi.so: the only file that includes mpi.h.
#include "core/dist/mpi_world.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/dist/messages.h"

namespace batchwise {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 27;  // MPI counts in int

Error mpiError(int code, const Message& what) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return Error{ErrorCode::Device, messages::mpiFailed(what, text.data()), {}};
}

MPI_Datatype typeOf(MpiWorld::Number number) {
  switch (number) {
    case MpiWorld::Number::Float32: return MPI_FLOAT;
    case MpiWorld::Number::Float64: return MPI_DOUBLE;
    case MpiWorld::Number::Int64: break;
  }
  return MPI_INT64_T;
}

class OpenMpiWorld final : public MpiWorld {
 public:
  OpenMpiWorld() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  // After a lost rank MPI_Finalize would wait forever.
  ~OpenMpiWorld() override {
    if (!skipFinalize_) MPI_Finalize();
  }
  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return size_; }

  Result<Progress> startSum(void* numbers, std::int64_t count, Number kind) override {
    return inPieces(numbers, count, typeOf(kind), [](void* piece, int size, MPI_Datatype type, MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, piece, size, type, MPI_SUM, MPI_COMM_WORLD, request);
    });
  }
  Result<Progress> startCopy(void* bytes, std::int64_t count) override {
    return inPieces(bytes, count, MPI_BYTE, [](void* piece, int size, MPI_Datatype type, MPI_Request* request) {
      return MPI_Ibcast(piece, size, type, 0, MPI_COMM_WORLD, request);
    });
  }
  Result<std::vector<std::string>> allGatherTexts(const std::string& own) override {
    const auto length = static_cast<int>(own.size());
    std::vector<int> lengths(static_cast<std::size_t>(size_)), starts;
    int code = MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int all = 0;
    for (const int one : lengths) {
      starts.push_back(all);
      all += one;
    }
    std::string together(static_cast<std::size_t>(all), '\0');
    if (code == MPI_SUCCESS)
      code = MPI_Allgatherv(own.data(), length, MPI_BYTE, together.data(), lengths.data(), starts.data(), MPI_BYTE,
                            MPI_COMM_WORLD);
    if (code != MPI_SUCCESS) return mpiError(code, messages::meetingRanks());
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank)
      texts.push_back(together.substr(static_cast<std::size_t>(starts[rank]), static_cast<std::size_t>(lengths[rank])));
    return texts;
  }
  void skipFinalize() override { skipFinalize_ = true; }

 private:
  template <typename Start>
  Result<Progress> inPieces(void* memory, std::int64_t count, MPI_Datatype type, const Start& start) {
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    std::vector<MPI_Request> requests;
    for (std::int64_t first = 0; first < count; first += kMaxCount) {
      requests.push_back(MPI_REQUEST_NULL);
      const int code = start(static_cast<char*>(memory) + first * bytes,
                             static_cast<int>(std::min(kMaxCount, count - first)), type, &requests.back());
      if (code != MPI_SUCCESS) return mpiError(code, messages::mpiStartingSum());
    }
    return Progress([requests]() mutable -> Result<bool> {
      int done = 0;
      const int code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
      if (code != MPI_SUCCESS) return mpiError(code, messages::mpiWaitingForRanks());
      return done != 0;
    });
  }

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
                                 : batchwise::messages::mpiLacksThreads().text();
    return nullptr;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return new batchwise::OpenMpiWorld;
}
