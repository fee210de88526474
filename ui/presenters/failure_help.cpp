// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/failure_help.h"

#include <QtCore/QCoreApplication>

#include "core/guard/failure_cause.h"
#include "ui/models/field_words.h"

namespace batchwise {
namespace {

struct FailureWords {
  Q_DECLARE_TR_FUNCTIONS(FailureWords)
};

/// What goes astray, or is damaged, by the end of a run may be so in its newest checkpoint too.
bool wantsAnEarlierOne(FailureCause cause) {
  return cause == FailureCause::NonFinite || cause == FailureCause::LossSpike ||
         cause == FailureCause::DamagedCheckpoint;
}

/// What has to be otherwise before it is tried again; empty: nothing that is known.
QString changeFor(FailureCause cause) {
  switch (cause) {
    case FailureCause::OutOfMemory:
      return FailureWords::tr(
                 "It needs less memory with a smaller “%1”, with “%2”, or with a smaller “%3” where a budget of tokens "
                 "is set. The first two leave the global batch as it is.")
          .arg(fieldLabel("batch.device_train_microbatch_size"), fieldLabel("devices.activation_checkpointing"),
               fieldLabel("batch.tokens.max_tokens"));
    case FailureCause::NonFinite:
    case FailureCause::LossSpike: return FailureWords::tr("A lower “%1” often helps.").arg(fieldLabel("optimizer.lr"));
    case FailureCause::DiskFull: return FailureWords::tr("Free some space on the disk first.");
    case FailureCause::LostRank:
      return FailureWords::tr("One of its processes or machines has gone. See to it that all of them are there.");
    case FailureCause::MissingFile: {
      const QString words = FailureWords::tr(
          "Put the file back where it was, or name its new place: “%1” and “%2” for text, “%3” for the vocabulary.");
      return words.arg(fieldLabel("data.train"), fieldLabel("data.eval"), fieldLabel("tokenizer.path"));
    }
    case FailureCause::DamagedCheckpoint: return FailureWords::tr("A checkpoint is damaged.");
    case FailureCause::DamagedFile: return FailureWords::tr("Fetch the damaged file again, or take it from a backup.");
    case FailureCause::Device:
      return FailureWords::tr("If the device fails again, see to its driver or choose another one under “%1”.")
          .arg(fieldLabel("devices.use"));
    case FailureCause::Unknown: break;
  }
  return {};
}

QString thenFor(FailureCause cause, CheckpointsLeft left) {
  switch (left) {
    case CheckpointsLeft::None: return FailureWords::tr("Then launch it again: it has no checkpoint to go on from.");
    case CheckpointsLeft::Some:
      return wantsAnEarlierOne(cause)
                 ? FailureWords::tr("Then resume it from a checkpoint that is older than the trouble.")
                 : FailureWords::tr("Then resume it: what it had done by its newest checkpoint is safe.");
    case CheckpointsLeft::NotKnown: break;
  }
  return {};
}

}  // namespace

FailureHelp failureHelp(const std::string& reason, CheckpointsLeft left) {
  const FailureCause cause = failureCause(reason);
  const QString change = changeFor(cause);
  if (change.isEmpty()) return {FailureWords::tr("The log tells what came before."), FailureHelp::Way::ShowLog};
  const QString then = thenFor(cause, left);
  return {then.isEmpty() ? change : FailureWords::tr("%1 %2", "what to change, what to do then").arg(change, then),
          left == CheckpointsLeft::None ? FailureHelp::Way::Duplicate : FailureHelp::Way::Resume};
}

}  // namespace batchwise
