// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/failure_cause.h"

namespace batchwise {

FailureCause failureCause(ErrorCode code) {
  switch (code) {
    case ErrorCode::OutOfMemory: return FailureCause::OutOfMemory;
    case ErrorCode::DiskFull: return FailureCause::DiskFull;
    case ErrorCode::NonFinite: return FailureCause::NonFinite;
    case ErrorCode::NotFound: return FailureCause::MissingFile;
    case ErrorCode::Corrupt: return FailureCause::DamagedFile;
    case ErrorCode::DamagedCheckpoint: return FailureCause::DamagedCheckpoint;
    case ErrorCode::Device: return FailureCause::Device;
    case ErrorCode::LostRank: return FailureCause::LostRank;
    default: return FailureCause::Unknown;
  }
}

RunFinished failedRun(const Error& error) {
  return {RunStatus::Failed, error.text(), {}, {}, failureCause(error.code)};
}

}  // namespace batchwise
