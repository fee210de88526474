// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/output_file.h"
#include "core/config/events/run_event.h"
#include "core/store/workspace.h"

namespace batchwise {

// All points of a run for other programs, with their optimizer steps and times. Event files (tensorboard.h) have the
// settings as hparams and as text, and scalars in 32 bits; a series of ours is "train/loss", "eval/loss".

using RunSettings = std::map<std::string, std::string, std::less<>>;

/// Writes an event file into a folder. Fails as the store or writeOutput() does.
Result<void> exportTensorBoard(const Workspace& workspace, const RunDetail& run, const RunSettings& settings,
                               const std::filesystem::path& folder, Replaces replaces);
/// Writes a Parquet file as TableLibrary::write() does. Fails as the store, OutputFile or TableLibrary does.
Result<void> exportParquet(const Workspace& workspace, const RunDetail& run, const std::filesystem::path& file,
                           Replaces replaces);

/// Passes events on, and writes rows and evaluations for TensorBoard: each segment of a run into a file of its own, in
/// the folder of the run. Each event is written at once. If one cannot be, a note tells, and no more are.
class TensorBoardLog final : public EventSink {
 public:
  TensorBoardLog(EventSink& listener, const Clock& clock) : listener_(listener), clock_(clock) {}

  /// Writes from the next RunStarted on, into folders in `folder`.
  void begin(const std::filesystem::path& folder, const RunSettings& settings) {
    folder_ = folder;
    settings_ = settings;
  }
  void publish(const RunEvent& event) override;

 private:
  Result<void> write(const RunEvent& event);

  EventSink& listener_;
  const Clock& clock_;
  std::filesystem::path folder_, file_;
  RunSettings settings_;
  FileDescriptor opened_;
};

}  // namespace batchwise
