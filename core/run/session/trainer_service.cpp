// SPDX-License-Identifier: GPL-3.0-or-later
// The exports of libbatchwise_trainer.so.
#include <c10/core/CachingDeviceAllocator.h>

#include <mutex>

#include "core/base/result.h"
#include "core/run/ranks/rank_group.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_checkpoint.h"
#include "core/run/session/run_session.h"
#include "core/run/trainer.h"
#include "core/train/devices.h"

namespace batchwise {
namespace {

class TrainerService final : public Trainer {
 public:
  Result<RunFinished> train(const LaunchRequest& request, EventSink& events, CommandMailbox& commands) override {
    const std::unique_lock lock(training_, std::try_to_lock);
    if (!lock) return Error{ErrorCode::Busy, kProcessAlreadyTraining, {}};
    if (const auto launched = launchedRank()) return trainInGroup(*launched, request, events, commands);
    return trainRun(request, events, commands, clock_);
  }

  Result<FilledMasks> fillMask(const std::filesystem::path& workspace, const std::string& run,
                               const std::string& checkpoint, const std::string& text, int candidates) override {
    return fillMasks(workspace, run, checkpoint, text, candidates, clock_);
  }

  Result<EvaluatedModel> evaluate(const EvaluationRequest& request, EventSink& events) override {
    const std::unique_lock lock(training_, std::try_to_lock);
    if (!lock) return Error{ErrorCode::Busy, "this process is already training; evaluate when it is done", {}};
    return evaluateModel(request, events, clock_);
  }

  Result<MeasuredNoise> measureNoise(const NoiseRequest& request, EventSink& events) override {
    const std::unique_lock lock(training_, std::try_to_lock);
    if (!lock) return Error{ErrorCode::Busy, "this process is already training; measure the noise when it is done", {}};
    return batchwise::measureNoise(request, events, clock_);
  }

  Result<JudgeResult> judge(const JudgeRequest& request, EventSink& events, const std::stop_token& stop) override {
    const std::unique_lock lock(training_, std::try_to_lock);
    if (!lock) return Error{ErrorCode::Busy, "this process is already training; judge when it is done", {}};
    return judgeModel(request, events, stop, clock_);
  }

  Result<UsedCheckpoint> exportHuggingFace(const std::filesystem::path& workspace, const std::string& run,
                                           const std::string& checkpoint, const std::filesystem::path& folder,
                                           Replaces replaces) override {
    return exportModel(workspace, run, checkpoint, folder, replaces, clock_);
  }

  Result<UsedCheckpoint> exportSentenceTransformers(const std::filesystem::path& workspace, const std::string& run,
                                                    const std::string& checkpoint, const std::filesystem::path& folder,
                                                    Pooling pooling, Replaces replaces) override {
    return exportVectors(workspace, run, checkpoint, folder, pooling, replaces, clock_);
  }

  Result<BatchSearchResult> findBatch(const LoadedConfig& config, const std::filesystem::path& workspace,
                                      EventSink& events) override {
    const std::unique_lock lock(training_, std::try_to_lock);
    if (!lock)
      return Error{ErrorCode::Busy, "this process is already training; search for the batch size when it is done", {}};
    return findMicrobatch(config, workspace, events, clock_);
  }

  std::vector<ComputeDevice> devices() override;
  std::string versions() override { return libraryVersions(); }

 private:
  Result<RunFinished> trainInGroup(const LaunchedRank& launched, const LaunchRequest& request, EventSink& events,
                                   CommandMailbox& commands);

  SystemClock clock_;
  std::mutex training_;  // held while a run is in progress: threads and determinism are process-wide
};

Result<RunFinished> TrainerService::trainInGroup(const LaunchedRank& launched, const LaunchRequest& request,
                                                 EventSink& events, CommandMailbox& commands) {
  ASSIGN_OR_RETURN(auto rankGroup, RankGroup::connect(launched));
  Result<RunFinished> end = trainRun(request, events, commands, clock_, rankGroup.get());
  if (launched.rank == 0) return end;
  const auto error = rankGroup->line().error();
  if (end.ok() || !error || error->text() != end.error().text()) return end;
  return failedRun(*error);  // error of another rank, which reports it
}

std::vector<ComputeDevice> TrainerService::devices() {
  std::vector<ComputeDevice> found;
  for (std::int64_t gpu = 0; gpu < gpuCount(); ++gpu) {
    const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(gpu));
    const auto [free, total] = c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index());
    const auto code = deviceCode(device);
    const std::string capability = code.ok() ? ", compute capability " + code->capability : "";
    const std::string later =
        code.ok() && code->compiledByDriver ? ", kernels compiled by the driver at first use" : "";
    found.push_back({"cuda:" + std::to_string(gpu), deviceDescription(device) + capability + later,
                     static_cast<std::int64_t>(total), static_cast<std::int64_t>(free),
                     code.ok() ? std::string() : code.error().text()});
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
