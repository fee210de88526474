// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/events/run_event.h"

namespace batchwise {

/// How notes begin by which a run tells that it can do nothing for now but wait: for space on a disk, for a store, for
/// whoever reads its output. It goes on by itself; the next row, evaluation or checkpoint tells that it does, or a note
/// that says kGoesOnAgain.
inline constexpr std::string_view kTrainingWaits = "training waits, and goes on by itself: ";
inline constexpr std::string_view kWaitsToSave = "waiting to save the checkpoint: ";
inline constexpr std::string_view kWaitsForStore = "waiting for the store: ";
inline constexpr std::string_view kGoesOnAgain = "training goes on again";

inline bool tellsOfWaiting(const RunNote& note) {
  const std::string_view text = note.text;
  return text.starts_with(kTrainingWaits) || text.starts_with(kWaitsToSave) || text.starts_with(kWaitsForStore);
}

}  // namespace batchwise
