// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace batchwise {

/// Why a run has failed, as far as there is something particular to do about it.
enum class FailureCause {
  Unknown,
  OutOfMemory,
  NonFinite,
  LossSpike,
  DiskFull,
  LostRank,
  MissingFile,
  DamagedCheckpoint,
  DamagedFile,
  Device,
};

/// What the reason of an end (RunFinished::reason) tells. It is the text of an error, as core, the system or LibTorch
/// words it, and all that is stored of one. Unknown if it names no cause. Pure.
FailureCause failureCause(std::string_view reason);

}  // namespace batchwise
