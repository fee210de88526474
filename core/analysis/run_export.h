// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/store/workspace.h"

namespace batchwise {

// All points of a run for other programs, with their optimizer steps and times.

/// Writes an event file for TensorBoard into a folder, with the settings. Fails as the store or writeOutput() does.
Result<void> exportTensorBoard(const Workspace& workspace, const RunDetail& run, const std::filesystem::path& folder,
                               Replaces replaces);

/// Writes a Parquet file as TableLibrary::write() does, with the name of the run. Fails also with Unsupported, without
/// the library.
Result<void> exportParquet(const Workspace& workspace, const RunDetail& run, const std::filesystem::path& file,
                           Replaces replaces);

}  // namespace batchwise
