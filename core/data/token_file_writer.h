// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/data/text_source.h"
#include "core/data/token_cache.h"
#include "core/data/vocabulary.h"

namespace batchwise {

/// Contents of the header, and options; see CACHE.md.
struct TokenFileSpec {
  std::filesystem::path path;  ///< of the finished file; partial files are created next to it
  Hash128 identity;
  SpecialIds special;
  std::int32_t vocabularySize = 0;
  std::int32_t maxSeqLen = 0;
  bool joinDocuments = false;
};

/// Progress of a writer, from which another process can resume.
struct TokenWriterState {
  std::int64_t storedTokens = 0;
  DatasetStatistics statistics;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> joining;  ///< tokens of the open sequence that further documents may join
};

/// Writes a token file sequentially in bounded memory. Not thread-safe; one writer per path.
class TokenFileWriter {
 public:
  /// Resumes at `state`, which checkpoint() returned, or starts over if it is empty. Fails with Io, DiskFull, or
  /// Corrupt if the partial files are shorter than `state` requires (then start over).
  static Result<TokenFileWriter> open(TokenFileSpec spec, TokenWriterState state = {});
  TokenFileWriter(TokenFileWriter&&) noexcept;
  TokenFileWriter& operator=(TokenFileWriter&&) noexcept;
  ~TokenFileWriter();

  /// Adds one document: its ids without [CLS] and [SEP], and its text statistics. Fails with Io or DiskFull.
  Result<void> add(std::span<const std::int32_t> ids, const TextCounts& text);
  /// Syncs what was added to disk and returns the state to resume from.
  Result<TokenWriterState> checkpoint();
  /// Completes the file and renames it to its final path. Nothing may be added afterwards.
  Result<void> finish();

 private:
  class Impl;
  explicit TokenFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchwise
