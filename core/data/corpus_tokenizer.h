// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/data/file_identity.h"
#include "core/data/text_source.h"
#include "core/data/token_cache.h"
#include "core/data/wordpiece.h"

namespace batchwise {

/// Whether a document is held out for evaluation: by its text only, so equal documents go the same way.
bool isHeldOut(std::string_view document, double holdout);

/// One corpus on its way into one token file, or into two with a holdout.
struct CorpusJob {
  std::vector<FileIdentity> files;
  TextFormat format = TextFormat::Text;
  std::string textField;
  WordPiece tokenizer;
  std::int32_t maxSeqLen = 128;
  bool joinDocuments = false;
  double holdout = 0.0;  ///< above 0: a second file gets this share of the documents
  std::filesystem::path cacheFolder;
  std::int64_t checkpointBytes = std::int64_t{64} << 20;  ///< of file read between two records of how far it got

  /// Of everything that decides about the tokens.
  Hash128 key() const;
};

struct CorpusDatasets {
  TokenDataset train;
  std::optional<TokenDataset> heldOut;  ///< there if the job has a holdout; may have no sequences
  bool fromCache = false;
};

/// Opens the token files of `job`, or makes them, going on where an interrupted call stood. Another process that makes
/// them at the same time is waited for. `progress(done, total)`: bytes of the files; (0, -1) again and again during
/// that wait. Fails with Stopped (what was done is kept), DiskFull (likewise), Io, Config for unreadable text.
Result<CorpusDatasets> tokenizeCorpus(const CorpusJob& job,
                                      const std::function<void(std::int64_t, std::int64_t)>& progress,
                                      std::stop_token stop);

}  // namespace batchwise
