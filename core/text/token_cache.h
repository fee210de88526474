// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/text/text_source.h"
#include "core/text/vocabulary.h"

namespace batchwise {

struct DatasetStatistics {
  TextCounts text;             ///< of the documents that went into this dataset
  std::int64_t sequences = 0;  ///< number of samples
  std::int64_t tokens = 0;     ///< over all sequences, [CLS] and [SEP] included
  std::int64_t unknown = 0;    ///< number of [UNK]
  std::int64_t longest = 0;    ///< tokens of the longest sequence
  bool operator==(const DatasetStatistics&) const = default;
};

/// How thoroughly a cache file is checked when it is opened.
enum class CacheCheck {
  Structure,  ///< header, sizes and sequence table
  Content,    ///< also the hash of all tokens, read through a small buffer
};

/// Tokenized text in a memory-mapped file (format: CACHE.md): sequences of at most max_seq_len tokens, each with [CLS]
/// and [SEP]. Immutable; copies share the mapping. Thread-safe.
class TokenDataset {
 public:
  /// Opens a token file. Fails with NotFound, Io, Corrupt (prepare the data again), or Unsupported (newer format).
  static Result<TokenDataset> open(const std::filesystem::path& path, CacheCheck check = CacheCheck::Structure);
  /// Returns an in-memory dataset, for tests and small texts. Requires at least one token per sequence, without [CLS]
  /// and [SEP].
  static TokenDataset fromSequences(const std::vector<std::vector<std::int32_t>>& sequences, const SpecialIds& special,
                                    std::int32_t vocabularySize);

  /// Fails with Corrupt, naming the file, if the file has changed since it was opened, then on every later call. Call
  /// after reading and before using the tokens: on a changed file lengths stay within bounds, but tokens are arbitrary.
  /// Costs one system call.
  Result<void> intact() const;

  /// Returns the number of sequences.
  std::int64_t size() const;
  /// Returns the tokens of sequence i, [CLS] and [SEP] included; at least 3. Requires 0 <= i < size().
  std::uint32_t length(std::int64_t i) const;
  /// Appends the tokens of sequence i, [CLS] and [SEP] included, to `ids`.
  void appendTokens(std::int64_t i, std::vector<std::int32_t>& ids) const;
  std::vector<std::int32_t> tokens(std::int64_t i) const;

  /// Hash of text and preparation: equal, up to collisions, if and only if both are equal.
  const Hash128& identity() const;
  const DatasetStatistics& statistics() const;
  /// Returns the occurrences of each vocabulary id, without the added [CLS] and [SEP].
  std::span<const std::int64_t> tokenCounts() const;

 private:
  struct Content;
  explicit TokenDataset(std::shared_ptr<const Content> content);
  std::shared_ptr<const Content> content_;
};

/// Cross-entropy, in nats per token, of predicting the tokens of `data` from their frequencies in `reference`: the best
/// loss of a model that ignores the context, a reference line for loss curves. If both are the same dataset, the
/// entropy of its unigram distribution; otherwise counts in `reference` are raised by one, so that unseen tokens have
/// finite cost. 0 for empty data.
double unigramCrossEntropy(const TokenDataset& data, const TokenDataset& reference);

}  // namespace batchwise
