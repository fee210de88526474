// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/failure_help.h"

#include <QtCore/QCoreApplication>

#include "core/guard/failure_cause.h"

namespace batchwise {
namespace {

struct FailureWords {
  Q_DECLARE_TR_FUNCTIONS(FailureWords)
};

/// What has to be otherwise before it is tried again; empty: nothing that is known.
QString changeFor(FailureCause cause) {
  switch (cause) {
    case FailureCause::OutOfMemory:
      return FailureWords::tr(
          "It needs less memory with a smaller batch.device_train_microbatch_size, with "
          "devices.activation_checkpointing, or with fewer batch.tokens.max_tokens where a budget of tokens is set. "
          "The first two leave the global batch as it is.");
    case FailureCause::NonFinite:
      return FailureWords::tr(
          "A lower optimizer.lr often helps, and so does going on from an earlier checkpoint, before the loss went "
          "astray.");
    case FailureCause::LossSpike:
      return FailureWords::tr("Go on from a checkpoint before the spike, with a lower optimizer.lr if it comes again.");
    case FailureCause::DiskFull: return FailureWords::tr("Free some space on the disk first.");
    case FailureCause::LostRank:
      return FailureWords::tr("One of its processes or machines has gone. See to it that all of them are there.");
    case FailureCause::MissingFile:
      return FailureWords::tr(
          "Put the file back where it was, or name its new place: data.train and data.eval for text, tokenizer.path "
          "for the vocabulary.");
    case FailureCause::DamagedCheckpoint: return FailureWords::tr("Go on from an earlier checkpoint.");
    case FailureCause::DamagedFile: return FailureWords::tr("Fetch the damaged file again, or take it from a backup.");
    case FailureCause::Device:
      return FailureWords::tr("If the device fails again, see to its driver or choose another one under devices.");
    case FailureCause::Unknown: break;
  }
  return {};
}

}  // namespace

FailureHelp failureHelp(const std::string& reason, bool hasCheckpoint) {
  const QString change = changeFor(failureCause(reason));
  if (change.isEmpty()) return {FailureWords::tr("The log tells what came before."), FailureHelp::Way::ShowLog};
  const QString then = hasCheckpoint
                           ? FailureWords::tr("Then resume it: what it had done by its newest checkpoint is safe.")
                           : FailureWords::tr("Then launch it again: it has no checkpoint to go on from.");
  return {FailureWords::tr("%1 %2", "what to change, what to do then").arg(change, then),
          hasCheckpoint ? FailureHelp::Way::Resume : FailureHelp::Way::Duplicate};
}

}  // namespace batchwise
