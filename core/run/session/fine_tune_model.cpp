// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is worth on a task once it has learned it.
#include <c10/core/DeviceGuard.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_session.h"
#include "core/train/devices.h"
#include "core/train/fine_tuning.h"

namespace batchwise {
Result<FineTuneResult> fineTuneModel(const FineTuneRequest& request, EventSink& events, const std::stop_token& stop,
                                     const Clock& clock) try {
  constexpr double kSecondsBetweenReports = 0.25;
  constexpr std::int64_t kUsualLength = 512;
  const FineTuneOptions& options = request.options;
  DevicesConfig config;
  config.use = request.device;
  ASSIGN_OR_RETURN(const auto devices, useDevices(config));
  ASSIGN_OR_RETURN(const auto source, loadModel(request, c10::Device(c10::DeviceType::CPU), clock));
  const ModelShape shape = withTaskHead(source.model.shape(), *request.task);
  const std::int64_t longest =
      std::min(shape.maxPositions, request.run.empty() ? shape.maxPositions : longestSequence(source.config));
  if (options.maxSeqLen > longest)
    return Error::config("max-seq-len",
                         formatText("the model takes at most {} tokens; {} are asked for", longest, options.maxSeqLen));
  const std::int64_t maxTokens = options.maxSeqLen > 0 ? options.maxSeqLen : std::min(longest, kUsualLength);
  if (!request.exportFolder.empty())
    RETURN_IF_ERROR(checkExportFolder(request.exportFolder, shape, request.exportReplaces));
  const Precision precision = choosePrecision(shape, devices);
  setMatmulPrecision(precision);
  const c10::Device device = devices.devices.front();
  const c10::OptionalDeviceGuard onDevice(device.is_cpu() ? std::nullopt : std::optional(device));
  ASSIGN_OR_RETURN(auto model, withHead(source.model, shape, precision, device, options.seed));
  AdamW optimizer(model.parameters(), fineTuneOptimizer(options));
  Replica replica{std::move(model), std::move(optimizer)};
  FineTuning tuning(request.task, source.tokenizer, shape, maxTokens);
  std::vector<std::string> notes = source.used.notes;
  notes.insert(notes.end(), tuning.notes().begin(), tuning.notes().end());
  if (shape.family == ModelFamily::NeoBert && shape.taskHead == TaskHead::Sequence)
    notes.push_back("transformers has no NeoBERT with a head for tasks: it gets BERT's, over the mean of all tokens");
  for (const std::string& note : notes) events.publish(RunNote{NoteLevel::Warning, note, {}});
  double reported = -1;
  const auto progress = [&](std::int64_t done, std::int64_t steps) {
    if (done < steps && clock.monotonicSec() - reported < kSecondsBetweenReports) return;
    reported = clock.monotonicSec();
    events.publish(PhaseProgress{formatText("rate {}, seed {}", formatExact(options.rate), options.seed),
                                 static_cast<double>(done), static_cast<double>(steps), "steps"});
  };
  ASSIGN_OR_RETURN(auto result, tuning.run(replica, options, {progress, stop, clock, request.unfinishedFile}));
  result.notes = std::move(notes);
  if (request.exports)
    RETURN_IF_ERROR(writeModelFolder(request.exportFolder, replica.model, source.tokenizer, maxTokens,
                                     request.exportReplaces, request.task->classes));
  return result;
} catch (const c10::Error& e) {
  return Error{ErrorCode::Device, e.what_without_backtrace(), "judge"};
}

}  // namespace batchwise
