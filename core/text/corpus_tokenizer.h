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
#include "core/text/file_identity.h"
#include "core/text/text_source.h"
#include "core/text/token_cache.h"
#include "core/text/tokenizer.h"

namespace batchwise {

/// Returns whether a document is held out for evaluation. Depends on its text only: duplicates get the same answer.
bool isHeldOut(std::string_view document, double holdout);

/// Tokenization of one corpus into one token file, or into two with a holdout.
struct CorpusJob {
  std::vector<FileIdentity> files;
  TextFormat format = TextFormat::Text;
  std::string textField;
  Tokenizer tokenizer;
  std::int32_t maxSeqLen = 128;
  bool joinDocuments = false;
  bool documentSeparator = true;  ///< between joined documents
  double holdout = 0.0;           ///< share of documents written to a second file; 0: none
  std::filesystem::path cacheFolder;
  std::int64_t checkpointBytes = std::int64_t{64} << 20;  ///< bytes of input between two progress records
  /// Whether documents that have occurred before, here or in `before`, are left out.
  bool removeDuplicates = false;
  std::vector<FileIdentity> before = {};

  /// Cache key: a hash of everything that influences the tokens.
  Hash128 key() const;
};

/// A line of one of the files of a job, counted from 1; 0: nowhere.
struct TextPlace {
  std::size_t file = 0;
  std::int64_t line = 0;
};

struct CorpusDatasets {
  TokenDataset train;
  std::optional<TokenDataset> heldOut;  ///< set if the job has a holdout; may be empty
  bool fromCache = false;
  std::int64_t removed = 0;  ///< documents that had occurred before
  std::int64_t blank = 0;    ///< records without text, which are left out
  /// Where the first ill-formed UTF-8 was replaced.
  TextPlace replacedInTrain = {}, replacedInHeldOut = {};
};

/// Opens the token files of `job`, creating them if needed and resuming an interrupted call. Waits if another process
/// is creating them. `progress(done, total)` reports bytes of the input files, and (0, -1) repeatedly during such a
/// wait. Fails with Stopped or DiskFull (finished work is kept), Io, or Config for unreadable text.
Result<CorpusDatasets> tokenizeCorpus(const CorpusJob& job,
                                      const std::function<void(std::int64_t, std::int64_t)>& progress,
                                      std::stop_token stop);

}  // namespace batchwise
