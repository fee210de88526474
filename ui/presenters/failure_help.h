// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

namespace batchwise {

/// Whether a failed run can go on from what it had saved.
enum class CheckpointsLeft { None, Some, NotKnown };

/// What to do about a run that has failed.
struct FailureHelp {
  enum class Way { Resume, Duplicate, ShowLog };
  QString remedy;  ///< sentences
  Way way = Way::ShowLog;
};

/// `reason`: of its end. Pure.
FailureHelp failureHelp(const std::string& reason, CheckpointsLeft left);

}  // namespace batchwise
