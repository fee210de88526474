// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is worth on a task, by a probe.
#include <torch/torch.h>

#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_session.h"
#include "core/train/devices.h"
#include "core/train/evaluation.h"
#include "core/train/probe.h"

namespace batchwise {

Result<ProbeResult> probeModel(const ProbeRequest& request, EventSink& events, const std::stop_token& stop,
                               const Clock& clock) try {
  DevicesConfig config;
  config.use = request.device;
  ASSIGN_OR_RETURN(const auto devices, useDevices(config));
  setMatmulPrecision(Precision::Fp32);
  ASSIGN_OR_RETURN(auto source, loadModel(request, devices.devices.front(), clock));
  RETURN_IF_ERROR(checkHeadSize(source.model.shape(), Precision::Fp32, source.model.device()));
  // Positions behind the longest sequence of the training have learned nothing.
  const std::int64_t longest = request.run.empty() ? source.model.shape().maxPositions : longestSequence(source.config);
  TaskProbe probe(request.task, source.tokenizer, std::min(longest, source.model.shape().maxPositions),
                  request.pooling);
  const auto progress =
      publishedProgress([&](const RunEvent& event) { events.publish(event); }, clock, "probing", "texts");
  ASSIGN_OR_RETURN(auto result, probe.run(source.model, progress, [&] { return stop.stop_requested(); }));
  result.notes.insert(result.notes.begin(), source.used.notes.begin(), source.used.notes.end());
  return result;
} catch (const c10::Error& e) {
  return Error{ErrorCode::Device, e.what_without_backtrace(), "judge"};
}

}  // namespace batchwise
