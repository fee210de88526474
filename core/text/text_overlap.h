// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/text/file_identity.h"

namespace batchwise {

/// Evaluation documents that also stand in the training text.
struct TextOverlap {
  std::int64_t documents = 0;  ///< of the evaluation text
  std::int64_t shared = 0;     ///< of which at least half of the text stands, line by line, in the training text
  std::size_t file = 0;        ///< of the evaluation text: where the first one is
};

struct OverlapJob {
  std::vector<FileIdentity> train;
  std::vector<std::vector<FileIdentity>> evaluated;  ///< the files of each evaluation text
  TextFormat format = TextFormat::Text;
  std::string textField;
  std::filesystem::path cacheFolder;  ///< empty: none
};

/// Compares each evaluation text with the training text, and keeps the answer in the cache folder, if there is one. Of
/// more than 64 MiB of evaluation text, documents are drawn by their hash, and the counts are estimates.
/// `progress(done, total)` reports bytes. Uses at most about 100 MB. Fails as DocumentReader, with Io, or with Stopped
/// on `stop`.
Result<std::vector<TextOverlap>> findOverlap(const OverlapJob& job,
                                             const std::function<void(std::int64_t, std::int64_t)>& progress,
                                             std::stop_token stop);

}  // namespace batchwise
