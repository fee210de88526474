// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is worth on a task, by a probe or once it has learned it.
#include <c10/core/DeviceGuard.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/model/device_error.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_session.h"
#include "core/train/devices.h"
#include "core/train/evaluation.h"
#include "core/train/fine_tuning.h"
#include "core/train/probe.h"

namespace batchwise {
namespace {

constexpr std::int64_t kUsualLength = 512;

/// A model that is judged.
struct Judged {
  const JudgeRequest& request;
  EventSink& events;
  const std::stop_token& stop;
  const Clock& clock;
  const DeviceChoice& devices;
  LoadedModel source;
  std::int64_t longest;  ///< sequence that it takes

  void publish(const std::vector<std::string>& notes) const {
    for (const std::string& note : notes) events.publish(RunNote{NoteLevel::Warning, note, {}});
  }
  ProbeProgress progress(std::string phase, const char* unit) const {
    return publishedProgress([this](const RunEvent& event) { events.publish(event); }, clock, std::move(phase), unit);
  }
};

Result<JudgeResult> probe(Judged& judged) {
  const JudgeRequest& request = judged.request;
  EncoderModel& model = judged.source.model;
  setMatmulPrecision(Precision::Fp32);
  RETURN_IF_ERROR(checkHeadSize(model.shape(), Precision::Fp32, model.device()));
  TaskProbe probe(request.task, judged.source.tokenizer, judged.longest, request.pooling);
  judged.publish(probe.notes());
  if (request.onlyChecks) return JudgeResult{};
  ASSIGN_OR_RETURN(auto found,
                   probe.run(model, judged.progress("probing", "texts"), [&] { return judged.stop.stop_requested(); }));
  judged.publish(found.notes);
  JudgeResult result;
  result.parts = std::move(found.parts);
  return result;
}

Result<JudgeResult> fineTune(const Judged& judged) {
  const JudgeRequest& request = judged.request;
  const FineTuneOptions& options = *request.fineTuning;
  const ModelShape shape = withTaskHead(judged.source.model.shape(), *request.task);
  if (options.maxSeqLen > judged.longest)
    return Error::config("max-seq-len", formatText("the model takes at most {} tokens; {} are asked for",
                                                   judged.longest, options.maxSeqLen));
  const std::int64_t maxTokens = options.maxSeqLen > 0 ? options.maxSeqLen : std::min(judged.longest, kUsualLength);
  if (!request.exportFolder.empty())
    RETURN_IF_ERROR(checkExportFolder(request.exportFolder, shape, request.exportReplaces));
  const Precision precision = choosePrecision(shape, judged.devices);
  setMatmulPrecision(precision);
  FineTuning tuning(request.task, judged.source.tokenizer, shape, maxTokens, options);
  judged.publish(tuning.notes());
  if (shape.family == ModelFamily::NeoBert && shape.taskHead == TaskHead::Sequence)
    judged.publish({"transformers has no NeoBERT with a head for tasks: it gets BERT's, over the mean of all tokens"});
  const c10::Device device = judged.devices.devices.front();
  const c10::OptionalDeviceGuard onDevice(device.is_cpu() ? std::nullopt : std::optional(device));
  ASSIGN_OR_RETURN(auto model, withHead(judged.source.model, shape, precision, device, options.seed));
  JudgeResult result;
  if (!request.onlyChecks) {
    AdamW optimizer(model.parameters(), fineTuneOptimizer(options));
    Replica replica{std::move(model), std::move(optimizer)};
    const auto progress =
        judged.progress(formatText("rate {}, seed {}", formatExact(options.rate), options.seed), "steps");
    ASSIGN_OR_RETURN(result, tuning.run(replica, progress, judged.stop, judged.clock));
    if (request.exports)
      RETURN_IF_ERROR(writeModelFolder(request.exportFolder, replica.model, judged.source.tokenizer, maxTokens,
                                       request.exportReplaces, request.task->classes));
  }
  result.precision = choiceName(precision);
  return result;
}

}  // namespace

Result<JudgeResult> judgeModel(const JudgeRequest& request, EventSink& events, const std::stop_token& stop,
                               const Clock& clock) try {
  DevicesConfig config;
  config.use = request.device;
  ASSIGN_OR_RETURN(const auto devices, useNotedDevices(config, events));
  const c10::Device host(c10::DeviceType::CPU);
  ASSIGN_OR_RETURN(auto source, loadModel(request, request.fineTuning ? host : devices.devices.front(), clock));
  // Positions behind the longest sequence of the training have learned nothing.
  std::int64_t longest = source.model.shape().maxPositions;
  if (!request.run.empty()) longest = std::min(longest, longestSequence(source.config));
  Judged judged{request, events, stop, clock, devices, std::move(source), longest};
  judged.publish(judged.source.used.notes);
  ASSIGN_OR_RETURN(auto result, request.fineTuning ? fineTune(judged) : probe(judged));
  result.model = judged.source.name;
  result.checkpoint = judged.source.used.id;
  return result;
} catch (const std::exception&) {
  return caughtError("judge");
}

}  // namespace batchwise
