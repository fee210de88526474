// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

namespace batchwise {

/// What to do about a run that has failed.
struct FailureHelp {
  enum class Way { Resume, Duplicate, ShowLog };
  QString remedy;  ///< sentences
  Way way = Way::ShowLog;
};

/// `reason`: of its end. `hasCheckpoint`: there is one to go on from. Pure.
FailureHelp failureHelp(const std::string& reason, bool hasCheckpoint);

}  // namespace batchwise
