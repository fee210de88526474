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

/// What a token file is for; see CACHE.md.
struct TokenFileSpec {
  std::filesystem::path path;  ///< of the finished file; unfinished parts lie beside
  Hash128 identity;
  SpecialIds special;
  std::int32_t vocabularySize = 0;
  std::int32_t maxSeqLen = 0;
  bool joinDocuments = false;
};

/// Where a writer stands, enough to go on in another process.
struct TokenWriterState {
  std::int64_t storedTokens = 0;
  DatasetStatistics statistics;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> joining;  ///< tokens of the sequence that further documents may join
};

/// Writes a token file in order and in small memory. One thread at a time; one writer per path.
class TokenFileWriter {
 public:
  /// Starts at `state`, which checkpoint() gave, or anew with an empty one. Fails with Io, DiskFull, or Corrupt if the
  /// parts on disk are shorter than `state` says (start anew then).
  static Result<TokenFileWriter> open(TokenFileSpec spec, TokenWriterState state = {});
  TokenFileWriter(TokenFileWriter&&) noexcept;
  TokenFileWriter& operator=(TokenFileWriter&&) noexcept;
  ~TokenFileWriter();

  /// Adds one document: its ids without [CLS] and [SEP], and what its text counts for. Fails with Io or DiskFull.
  Result<void> add(std::span<const std::int32_t> ids, const TextCounts& text);
  /// Makes what was added durable and tells where the writer stands.
  Result<TokenWriterState> checkpoint();
  /// Completes the file under its name. Nothing may be added afterwards.
  Result<void> finish();

 private:
  class Impl;
  explicit TokenFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchwise
