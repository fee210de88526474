// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/failure_cause.h"

#include <algorithm>
#include <iterator>

#include "core/dist/messages.h"
#include "core/run/messages.h"
#include "core/store/messages.h"
#include "core/train/messages.h"

namespace batchwise {
namespace {

struct CauseOfMessage {
  std::string_view id;
  FailureCause cause;
};

constexpr CauseOfMessage kCauses[] = {
    {messages::rankLostSendFailed.id, FailureCause::LostRank},
    {messages::rankLostInSendFailed.id, FailureCause::LostRank},
    {messages::rankLostProcessEnded.id, FailureCause::LostRank},
    {messages::rankLostInProcessEnded.id, FailureCause::LostRank},
    {messages::rankSilent.id, FailureCause::LostRank},
    {messages::rankSilentIn.id, FailureCause::LostRank},
    {messages::rankEndedEarly.id, FailureCause::LostRank},
    {messages::rankEndedEarlyIn.id, FailureCause::LostRank},
    {messages::databaseDiskFull.id, FailureCause::DiskFull},
    {messages::checkpointNeedsDiskSpace.id, FailureCause::DiskFull},
    {messages::runProcessKilledOutOfMemory.id, FailureCause::OutOfMemory},
    {messages::sequenceExceedsDeviceMemory.id, FailureCause::OutOfMemory},
    {messages::lossSpikeDetected.id, FailureCause::LossSpike},
    {messages::resumeCheckpointNotFinite.id, FailureCause::DamagedCheckpoint},
    {messages::runHasNoGoodCheckpoint.id, FailureCause::DamagedCheckpoint},
    {messages::checkpointDamaged.id, FailureCause::DamagedCheckpoint},
    {messages::gradientNotFinite.id, FailureCause::NonFinite},
};

FailureCause causeOf(const Message& message) {
  const auto* found = std::ranges::find(kCauses, message.id(), &CauseOfMessage::id);
  if (found != std::end(kCauses)) return found->cause;
  for (const MessageArgument& argument : message.arguments()) {
    if (argument.value.message() == nullptr) continue;
    if (const FailureCause cause = causeOf(*argument.value.message()); cause != FailureCause::Unknown) return cause;
  }
  return FailureCause::Unknown;
}

FailureCause causeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::OutOfMemory: return FailureCause::OutOfMemory;
    case ErrorCode::DiskFull: return FailureCause::DiskFull;
    case ErrorCode::NonFinite: return FailureCause::NonFinite;
    case ErrorCode::NotFound: return FailureCause::MissingFile;
    case ErrorCode::Corrupt: return FailureCause::DamagedFile;
    case ErrorCode::Device: return FailureCause::Device;
    case ErrorCode::Config:
    case ErrorCode::Io:
    case ErrorCode::Unsupported:
    case ErrorCode::Busy:
    case ErrorCode::Stopped:
    case ErrorCode::Internal: break;
  }
  return FailureCause::Unknown;
}

}  // namespace

FailureCause failureCause(const Message& reason, ErrorCode code) {
  const FailureCause cause = causeOf(reason);
  return cause != FailureCause::Unknown ? cause : causeOf(code);
}

RunFinished failedRun(const Error& error) {
  RunFinished failed;
  failed.status = RunStatus::Failed;
  failed.reason = error.full();
  failed.cause = failureCause(failed.reason, error.code);
  return failed;
}

}  // namespace batchwise
