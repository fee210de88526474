// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/failure_cause.h"

#include <algorithm>
#include <iterator>

#include "core/dist/messages.h"
#include "core/guard/messages.h"
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
    {messages::rankLostInSendFailed.id, FailureCause::LostRank},
    {messages::rankLostInProcessEnded.id, FailureCause::LostRank},
    {messages::rankSilentIn.id, FailureCause::LostRank},
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
    {messages::runDivergedNotFinite.id, FailureCause::Diverged},
    {messages::runDivergedAboveStart.id, FailureCause::Diverged},
    {messages::runDivergedAboveUnigram.id, FailureCause::Diverged},
};

struct CauseOfCode {
  ErrorCode code;
  FailureCause cause;
};

constexpr CauseOfCode kCausesOfCodes[] = {
    {ErrorCode::OutOfMemory, FailureCause::OutOfMemory}, {ErrorCode::DiskFull, FailureCause::DiskFull},
    {ErrorCode::NonFinite, FailureCause::NonFinite},     {ErrorCode::NotFound, FailureCause::MissingFile},
    {ErrorCode::Corrupt, FailureCause::DamagedFile},     {ErrorCode::Device, FailureCause::Device},
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
  const auto* found = std::ranges::find(kCausesOfCodes, code, &CauseOfCode::code);
  return found == std::end(kCausesOfCodes) ? FailureCause::Unknown : found->cause;
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
