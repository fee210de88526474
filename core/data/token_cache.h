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
#include "core/data/vocabulary.h"

namespace batchwise {

/// What a prepared dataset was made from.
struct DatasetStatistics {
  TextCounts text;             ///< of the documents that went into this dataset
  std::int64_t sequences = 0;  ///< = samples
  std::int64_t tokens = 0;     ///< over all sequences, [CLS] and [SEP] included
  std::int64_t unknown = 0;    ///< tokens that became [UNK]
  std::int64_t longest = 0;    ///< tokens of the longest sequence
  bool operator==(const DatasetStatistics&) const = default;
};

/// How much of a cache file is checked when it is opened.
enum class CacheCheck {
  Structure,  ///< header, sizes and sequence table
  Content,    ///< the hash of all tokens as well, read through a small buffer
};

/// Tokenised text in a mapped file: sequences of at most max_seq_len tokens, each framed by [CLS] and [SEP]. The file
/// format is described in CACHE.md. Immutable; copies share the mapping; any thread may read.
class TokenDataset {
 public:
  /// Fails with NotFound, Io, Corrupt (preparing again would do), Unsupported (a newer format).
  static Result<TokenDataset> open(const std::filesystem::path& path, CacheCheck check = CacheCheck::Structure);
  /// A dataset in memory, for tests and small texts: `sequences` without [CLS] and [SEP], each of at least one token.
  static TokenDataset fromSequences(const std::vector<std::vector<std::int32_t>>& sequences, const SpecialIds& special,
                                    std::int32_t vocabularySize);

  /// Whether the file still is what it was when it was opened. To be called after reading and before what was read is
  /// used: until then lengths are in their bounds, and tokens may be any. Fails with Corrupt, naming the file, and then
  /// always. One system call.
  Result<void> intact() const;

  /// Number of sequences.
  std::int64_t size() const;
  /// Tokens of sequence i, [CLS] and [SEP] included; at least 3. 0 <= i < size().
  std::uint32_t length(std::int64_t i) const;
  /// Appends the tokens of sequence i, [CLS] and [SEP] included, to `ids`.
  void appendTokens(std::int64_t i, std::vector<std::int32_t>& ids) const;
  std::vector<std::int32_t> tokens(std::int64_t i) const;

  /// Equal if and only if (but for hash collisions) the same text was prepared in the same way.
  const Hash128& identity() const;
  const DatasetStatistics& statistics() const;
  /// How often each id occurs, [CLS] and [SEP] frames aside; one entry per id of the vocabulary.
  std::span<const std::int64_t> tokenCounts() const;

 private:
  struct Content;
  explicit TokenDataset(std::shared_ptr<const Content> content);
  std::shared_ptr<const Content> content_;
};

/// Cross-entropy, in nats per predicted token, of guessing tokens of `data` from their frequencies in `reference`
/// alone: what a model that ignores the context can reach, a reference line for loss curves. With one dataset for both
/// it is the entropy of its unigram distribution. Each count in `reference` is raised by one where the two differ, so
/// that unseen tokens have a finite cost. 0 for empty data.
double unigramCrossEntropy(const TokenDataset& data, const TokenDataset& reference);

}  // namespace batchwise
