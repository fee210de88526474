// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is worth on a task, by a probe.
#include <torch/torch.h>

#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_session.h"
#include "core/train/devices.h"
#include "core/train/probe.h"

namespace batchwise {

Result<ProbeResult> probeModel(const ProbeRequest& request, EventSink& events, const std::stop_token& stop,
                               const Clock& clock) try {
  constexpr double kSecondsBetweenReports = 0.25;
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
  double reported = -1;
  const auto progress = [&](std::int64_t done, std::int64_t total) {
    if (done < total && clock.monotonicSec() - reported < kSecondsBetweenReports) return;
    reported = clock.monotonicSec();
    events.publish(PhaseProgress{"probing", static_cast<double>(done), static_cast<double>(total), "texts"});
  };
  ASSIGN_OR_RETURN(auto result, probe.run(source.model, progress, stop));
  result.notes = source.used.notes;
  result.notes.insert(result.notes.end(), probe.notes().begin(), probe.notes().end());
  if (!request.featuresFolder.empty()) RETURN_IF_ERROR(probe.writeFeatures(request.featuresFolder));
  return result;
} catch (const c10::Error& e) {
  return Error{ErrorCode::Device, e.what_without_backtrace(), "judge"};
}

}  // namespace batchwise
