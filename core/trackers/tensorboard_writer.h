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

/// Writes rows and evaluations for TensorBoard while a run trains: each segment into a file of its own, in the folder
/// of the run. Each event is written at once, and may block as long as the file system does. Not thread-safe.
class TensorBoardLog {
 public:
  /// `folder`: of the folders of runs.
  TensorBoardLog(const Clock& clock, std::filesystem::path folder, RunSettings settings)
      : clock_(clock), folder_(std::move(folder)), settings_(std::move(settings)) {}

  /// Writes nothing any more once it has failed.
  Result<void> take(const RunEvent& event);

 private:
  Result<void> write(const RunEvent& event);

  const Clock& clock_;
  std::filesystem::path folder_, file_;
  RunSettings settings_;
  FileDescriptor opened_;
};

}  // namespace batchwise
