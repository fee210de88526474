// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/config/config_file.h"

namespace batchwise {

/// Something that a launch would fail on, or may fail on later.
struct PreflightFinding {
  bool fatal = true;   ///< the run cannot start; else it may not reach its end
  std::string field;   ///< to be changed; empty: none would help
  std::string what;    ///< what was found
  std::string remedy;  ///< what would do; empty where `what` tells it
  /// Both, as one message.
  std::string text() const { return remedy.empty() ? what : what + "; " + remedy; }
};

/// What is wrong with the files that a configuration names, all of it: text, vocabulary, a model to start from (its
/// sizes, names and shapes of tensors against those asked for), kept lengths. Reads names, headers and vocabularies, no
/// text and no weights, and writes nothing. Text that is not named at all is no finding: see namesNoText(). Blocks on
/// the file system.
std::vector<PreflightFinding> checkFiles(const LoadedConfig& config);

/// What to say of a configuration that names no training text; empty if it names some.
std::string namesNoText(const TrainConfig& config);

}  // namespace batchwise
