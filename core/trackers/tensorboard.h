// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/trackers/run_source.h"

namespace batchwise {

// Event files of TensorBoard: TFRecord frames (length and content, each with a masked CRC-32C) around Event messages.
// Sources: tensorflow/core/util/event.proto, framework/summary.proto, tensorboard/plugins/hparams/*.proto.

bool isEventFileName(const std::filesystem::path& file);
/// Returns whether a file begins with a whole TFRecord header.
bool isEventFile(const std::filesystem::path& file);
/// Returns whether a folder is one that torch's add_hparams() makes in that of the run: its name is a time.
bool isHparamsFolder(const std::filesystem::path& folder);

/// Reads the scalars and hparams of all event files in a folder, or of one file.
std::unique_ptr<RunSource> tensorBoardRun(const std::filesystem::path& folderOrFile);

}  // namespace batchwise
