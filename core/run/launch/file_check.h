// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/base/messages.h"
#include "core/config/config_file.h"

namespace batchwise {

/// A problem that makes a launch fail, or may make it fail later.
struct PreflightFinding {
  bool fatal = true;  ///< the run cannot start; else it may not reach its end
  std::string field;  ///< field to change; empty: none would help
  Message what;       ///< problem found
  Message remedy;     ///< how to fix it; empty if `what` says so
  /// Joins both into one message.
  Message text() const { return remedy.empty() ? what : messages::followedBy(what, remedy); }
};

/// Returns all problems with the files that a configuration names: text, vocabulary, model.init_from (sizes, tensor
/// names and shapes), lengths file. Reads names, headers and vocabularies, no text or weights; writes nothing. Missing
/// data.train is not reported here, see missingTextMessage(). Blocks on the file system.
std::vector<PreflightFinding> checkFiles(const LoadedConfig& config);

/// Returns a message if the configuration names no training text, else an empty text.
Message missingTextMessage(const TrainConfig& config);

}  // namespace batchwise
