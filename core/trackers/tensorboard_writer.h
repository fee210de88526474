// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/config/events/run_event.h"
#include "core/text/table_library.h"

namespace batchwise {

// Event files for TensorBoard (tensorboard.h). Settings are there as hparams and as text. Scalars have 32 bits as its
// own; those of clocks and counts, and what another program logged in 64, are tensors of 64. Steps are optimizer steps.

using TensorBoardSettings = std::map<std::string, std::string, std::less<>>;

/// Writes a whole event file. `logged`: of a run of another program, the names of its series there, which become tags;
/// those of ours are "train/loss", "eval/loss".
Result<void> writeEventFile(const FileSink& sink, double startedSec, const TensorBoardSettings& settings,
                            std::span<const SeriesRows> all, const std::map<std::string, std::string>& logged);

/// Writes rows and evaluations into event files while a run trains, and passes all events on; each segment has a file
/// of its own, in a folder that is that of the run. Each event is written at once. If one cannot be, a note tells, and
/// no more are.
class TensorBoardLog final : public EventSink {
 public:
  TensorBoardLog(EventSink& listener, const Clock& clock) : listener_(listener), clock_(clock) {}

  /// Writes from the next RunStarted on, in a folder inside `folder`.
  void begin(std::filesystem::path folder, TensorBoardSettings settings);
  void publish(const RunEvent& event) override;

 private:
  Result<void> write(const RunEvent& event);
  Result<void> open(const RunStarted& started);

  EventSink& listener_;
  const Clock& clock_;
  std::filesystem::path folder_;
  TensorBoardSettings settings_;
  std::filesystem::path path_;  // of the file
  FileDescriptor file_;
};

}  // namespace batchwise
