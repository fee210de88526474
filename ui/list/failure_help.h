// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

#include "core/config/events/run_event.h"

namespace batchwise {

/// Whether a failed run has checkpoints to resume from.
enum class RemainingCheckpoints { None, Some, Unknown };

/// Advice for a failed run.
struct FailureHelp {
  enum class Action { Resume, Duplicate, ShowLog };
  QString remedy;  ///< full sentences, translated
  Action action = Action::ShowLog;
};

/// `cause`: RunFinished::cause. Pure.
FailureHelp failureHelp(FailureCause cause, RemainingCheckpoints left);

}  // namespace batchwise
