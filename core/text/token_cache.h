// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <type_traits>
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
  /// A dataset and how many of the samples of a mixture are from it. `samples` >= data.size() > 0: it is gone through
  /// as often as they are enough for, and what is left of them lies evenly in it.
  struct Source;
  /// Returns a dataset of all samples of the sources, in each stretch as many of each as in the whole: which one sample
  /// i is follows from i alone, in memory for the sources only. The sources have one vocabulary and are no mixtures.
  static TokenDataset mix(std::vector<Source> sources);

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

  /// Returns the number of the source that sample i is from; 0 in a dataset that is no mixture.
  std::size_t sourceOf(std::int64_t i) const;

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

struct TokenDataset::Source {
  TokenDataset data;
  std::int64_t samples = 0;
  /// Tokens of the samples, [CLS] and [SEP] included.
  std::int64_t tokens() const;
};

/// Returns how often datasets of so many tokens are gone through in a mixture in which the tokens of each are its share
/// of `weights`, raised to 1 / temperature; no weights: their tokens. The least is 1; infinite beyond all numbers.
std::vector<double> mixturePasses(std::span<const DatasetStatistics> datasets, std::span<const double> weights,
                                  double temperature);

/// Cross-entropy, in nats per token, of predicting the tokens of `data` from their frequencies in `reference`: the best
/// loss of a model that ignores the context, a reference line for loss curves. If both are the same dataset, the
/// entropy of its unigram distribution; otherwise counts in `reference` are raised by one, so that unseen tokens have
/// finite cost. 0 for empty data.
double unigramCrossEntropy(const TokenDataset& data, const TokenDataset& reference);

static_assert(std::endian::native == std::endian::little, "token files are little-endian and mapped as they are");

/// Header of a token file; see CACHE.md.
struct TokenFileHeader {
  char magic[8] = {'B', 'W', 'T', 'O', 'K', 'E', 'N', 'S'};
  std::uint32_t version = 1;
  std::uint32_t tokenBytes = 2;
  std::uint64_t identityHigh = 0, identityLow = 0;
  std::int32_t vocabularySize = 0, cls = 0, sep = 0, zero = 0;
  std::int64_t sequences = 0, storedTokens = 0;
  std::int64_t tokensAt = 0, offsetsAt = 0, countsAt = 0, fileBytes = 0;
  TextCounts text;
  std::int64_t framedTokens = 0, unknownTokens = 0, longest = 0;
  std::uint64_t contentHigh = 0, contentLow = 0;
  std::uint32_t crc = 0, padding = 0;

  std::uint32_t expectedCrc() const { return crc32c(std::as_bytes(std::span(this, 1)).first(kCrcBytes)); }

  static constexpr std::size_t kCrcBytes = 168;
};
static_assert(std::is_trivially_copyable_v<TokenFileHeader> && sizeof(TokenFileHeader) == 176 &&
              offsetof(TokenFileHeader, crc) == TokenFileHeader::kCrcBytes);

constexpr std::int64_t kTokenFileDataAt = 4096;
constexpr std::int32_t kLargestTwoByteVocabulary = 65'536;

constexpr std::int64_t alignedTo8(std::int64_t place) {
  return (place + 7) / 8 * 8;
}

/// Contents of the header, and options; see CACHE.md.
struct TokenFileSpec {
  std::filesystem::path path;  ///< of the finished file; partial files are created next to it
  Hash128 identity;
  SpecialIds special;
  std::int32_t vocabularySize = 0;
  std::int32_t maxSeqLen = 0;
  bool joinDocuments = false;
  bool documentSeparator = true;  ///< [SEP] [CLS] between joined documents
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
