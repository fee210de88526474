// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/run/trainer.h"

namespace batchwise {

/// See Trainer::fillMask.
Result<FilledMasks> fillMasks(const std::filesystem::path& workspace, const std::string& run,
                              const std::string& checkpoint, const std::string& text, int candidates,
                              const Clock& clock);

/// See Trainer::exportHuggingFace.
Result<UsedCheckpoint> exportModel(const std::filesystem::path& workspace, const std::string& run,
                                   const std::string& checkpoint, const std::filesystem::path& folder,
                                   Replaces replaces, const Clock& clock);

}  // namespace batchwise
