// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer as a library: what libbatchwise_trainer.so exports.
#include <c10/core/CachingDeviceAllocator.h>

#include <mutex>

#include "core/run/session/microbatch.h"
#include "core/run/session/rank_follower.h"
#include "core/run/session/run_facts.h"
#include "core/run/session/run_session.h"
#include "core/run/session/try_model.h"
#include "core/run/trainer_factory.h"
#include "core/train/devices.h"

namespace batchwise {
namespace {

class TrainerService final : public Trainer {
 public:
  Result<RunFinished> train(const LaunchRequest& request, EventSink& events, CommandMailbox& commands) override {
    const std::unique_lock lock(training_, std::try_to_lock);
    if (!lock) return Error{ErrorCode::Busy, "this process trains already; start another one for a second run", {}};
    if (const auto launched = launchedRank()) return trainInTeam(*launched, request, events, commands);
    return trainRun(request, events, commands, clock_);
  }

  Result<FilledMasks> fillMask(const std::filesystem::path& workspace, const std::string& run,
                               const std::string& checkpoint, const std::string& text, int candidates) override {
    return fillMasks(workspace, run, checkpoint, text, candidates, clock_);
  }

  Result<UsedCheckpoint> exportHuggingFace(const std::filesystem::path& workspace, const std::string& run,
                                           const std::string& checkpoint, const std::filesystem::path& folder,
                                           Replaces replaces) override {
    return exportModel(workspace, run, checkpoint, folder, replaces, clock_);
  }

  Result<FoundBatch> findBatch(const LoadedConfig& config, const std::filesystem::path& workspace,
                               EventSink& events) override {
    const std::unique_lock lock(training_, std::try_to_lock);
    if (!lock) return Error{ErrorCode::Busy, "this process trains already; search the batch size when it is done", {}};
    return findMicrobatch(config, workspace, events, clock_);
  }

  std::vector<ComputeDevice> devices() override;
  std::string versions() override { return libraryVersions(); }

 private:
  Result<RunFinished> trainInTeam(const LaunchedRank& launched, const LaunchRequest& request, EventSink& events,
                                  CommandMailbox& commands);

  SystemClock clock_;
  std::mutex training_;  // held while a run is under way: threads and determinism are settings of the process
};

Result<RunFinished> TrainerService::trainInTeam(const LaunchedRank& launched, const LaunchRequest& request,
                                                EventSink& events, CommandMailbox& commands) {
  Result<std::unique_ptr<RankTeam>> team = RankTeam::connect(launched);
  if (!team.ok()) return team.error();
  if (launched.rank == 0) return trainRun(request, events, commands, clock_, team->get());
  Result<RunFinished> end = followRun(**team, clock_);
  const auto trouble = (*team)->line().trouble();
  if (end.ok() || !trouble || trouble->text() != end.error().text()) return end;
  return RunFinished{RunStatus::Failed, trouble->text(), {}, {}};  // of another rank, which tells it
}

std::vector<ComputeDevice> TrainerService::devices() {
  std::vector<ComputeDevice> found;
  for (std::int64_t gpu = 0; gpu < gpuCount(); ++gpu) {
    const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(gpu));
    const auto [free, total] = c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index());
    found.push_back({"cuda:" + std::to_string(gpu), deviceDescription(device), static_cast<std::int64_t>(total),
                     static_cast<std::int64_t>(free)});
  }
  const c10::Device processor(c10::DeviceType::CPU);
  const HostMemory memory = hostMemory();
  found.push_back({"cpu:0", deviceDescription(processor), memory.total, memory.available});
  return found;
}

}  // namespace
}  // namespace batchwise

extern "C" __attribute__((visibility("default"))) int batchwiseTrainerInterface() {
  return batchwise::kTrainerInterface;
}

extern "C" __attribute__((visibility("default"))) batchwise::Trainer* batchwiseMakeTrainer() {
  return new batchwise::TrainerService;
}
