// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/host_syncs.h"

#include <c10/cuda/CUDAFunctions.h>

#include <cstdlib>
#include <sstream>

namespace batchwise {

HostSyncs::Step::Step(HostSyncs& owner) : owner_(owner), outer_(c10::WarningUtils::get_warning_handler()) {
  c10::WarningUtils::set_warning_handler(this);
  c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_WARN);
}

HostSyncs::Step::~Step() {
  c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  c10::WarningUtils::set_warning_handler(outer_);
  if (++owner_.steps_ > kWarmSteps) owner_.count_ += count_;
}

void HostSyncs::Step::process(const c10::Warning& warning) {
  if (warning.msg().find("synchronizing CUDA operation") == std::string::npos) return outer_->process(warning);
  ++count_;
}

bool HostSyncs::enabledByEnvironment() {
  return std::getenv("BATCHWISE_COUNT_HOST_SYNCS") != nullptr;
}

std::optional<HostSyncs::Step> HostSyncs::countStep() {
  if (!enabled_) return std::nullopt;
  return std::optional<Step>(std::in_place, *this);
}

std::optional<std::string> HostSyncs::text() const {
  const std::int64_t steps = steps_ - kWarmSteps;
  if (steps <= 0) return std::nullopt;
  std::ostringstream text;
  text << "host syncs per step: " << static_cast<double>(count_) / static_cast<double>(steps) << " (" << count_
       << " in " << steps << " steps)";
  return text.str();
}

}  // namespace batchwise
