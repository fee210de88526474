// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/failure_help.h"

#include <QtCore/QObject>

#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

/// For these causes, the newest checkpoint may be affected too.
bool needsEarlierCheckpoint(FailureCause cause) {
  return cause == FailureCause::NonFinite || cause == FailureCause::LossSpike ||
         cause == FailureCause::DamagedCheckpoint;
}

/// What to change before the next attempt; empty if unknown.
QString remedyFor(FailureCause cause) {
  switch (cause) {
    case FailureCause::OutOfMemory:
      return QObject::tr(
                 "It needs less memory with a smaller “%1”, with “%2”, or, under a token budget, with a smaller “%3”. "
                 "The first two do not change the global batch.")
          .arg(fieldLabel("batch.device_train_microbatch_size"), fieldLabel("devices.activation_checkpointing"),
               fieldLabel("batch.tokens.max_tokens"));
    case FailureCause::NonFinite:
    case FailureCause::Diverged:
    case FailureCause::LossSpike: return QObject::tr("A lower “%1” often helps.").arg(fieldLabel("optimizer.lr"));
    case FailureCause::DiskFull: return QObject::tr("Free some space on the disk first.");
    case FailureCause::LostRank:
      return QObject::tr("One of its processes or machines is gone. Make sure that all of them are available.");
    case FailureCause::MissingFile: {
      const QString words =
          QObject::tr("Put the file back, or set its new location: “%1” and “%2” for text, “%3” for the vocabulary.");
      return words.arg(fieldLabel("data.train"), fieldLabel("data.eval"), fieldLabel("tokenizer.path"));
    }
    case FailureCause::DamagedCheckpoint: return QObject::tr("A checkpoint is damaged.");
    case FailureCause::DamagedFile: return QObject::tr("Replace the damaged file, for example from a backup.");
    case FailureCause::Device:
      return QObject::tr("If the device fails again, check its driver or choose another device under “%1”.")
          .arg(fieldLabel("devices.use"));
    case FailureCause::Unneeded:
    case FailureCause::Unknown: break;
  }
  return {};
}

QString nextStepFor(FailureCause cause, RemainingCheckpoints left) {
  switch (left) {
    case RemainingCheckpoints::None: return QObject::tr("Then launch it again: it has no checkpoint to resume from.");
    case RemainingCheckpoints::Some:
      return needsEarlierCheckpoint(cause)
                 ? QObject::tr("Then resume it from a checkpoint that is older than the problem.")
                 : QObject::tr("Then resume it: everything up to its newest checkpoint is saved.");
    case RemainingCheckpoints::Unknown: break;
  }
  return {};
}

}  // namespace

FailureHelp failureHelp(FailureCause cause, RemainingCheckpoints left) {
  const QString change = remedyFor(cause);
  if (change.isEmpty()) return {QObject::tr("The log shows what happened before."), FailureHelp::Action::ShowLog};
  const QString then = nextStepFor(cause, left);
  return {then.isEmpty() ? change : QObject::tr("%1 %2", "what to change, what to do then").arg(change, then),
          left == RemainingCheckpoints::None ? FailureHelp::Action::Duplicate : FailureHelp::Action::Resume};
}

}  // namespace batchwise
