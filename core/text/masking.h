// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/text/token_cache.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"

namespace batchwise {

/// With the sample id, everything that masks depend on. Training uses the seed of the run; evaluation always uses
/// eval.seed and epoch 0.
struct MaskingKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
};

/// The separators of sequences that hold several documents, [CLS] a [SEP] [CLS] b [SEP]: no text contains [SEP].
/// Separators are never predicted.
struct JoinedDocuments {
  std::int32_t cls = 0;
  std::int32_t sep = 0;
  bool attentionAcross = false;  ///< tokens attend to all of their sequence; else to their document

  bool isSeparator(std::int32_t id) const { return id == sep || id == cls; }
};

/// What is masked together. Immutable and thread-safe.
class WordTable {
 public:
  /// A token continues the word of the token before it: in a WordPiece vocabulary if it starts with "##"; in a
  /// byte-level one if it starts with neither a space ("\u0120"), a control character nor ASCII punctuation; in one
  /// with "\u2581" for spaces likewise. Special tokens stand alone. The kind is the one whose marks are most frequent;
  /// without any mark each token is a word.
  static WordTable of(const Vocabulary& vocabulary);

  bool continues(std::int32_t id) const { return continues_[static_cast<std::size_t>(id)]; }

 private:
  std::vector<bool> continues_;  // by id
};

/// Masking probabilities (Devlin et al. 2019, section 3.1).
struct MaskSpec {
  double probability = 0.15;  ///< share of tokens to predict, in (0, 1]
  double maskShare = 0.8;     ///< of the predicted tokens, share replaced by [MASK]
  double randomShare = 0.1;   ///< of the predicted tokens, share replaced by a random token; the rest stays unchanged
  std::int32_t maskId = 0;
  std::int32_t vocabularySize = 0;
  std::vector<std::int32_t> specialIds;         ///< ascending; never drawn as random tokens
  std::shared_ptr<const WordTable> words = {};  ///< set: whole words are masked
  std::optional<JoinedDocuments> joined = {};   ///< set: sequences hold several documents with separators

  static MaskSpec of(const Vocabulary& vocabulary, double probability);
  /// Returns whether predictedTokens() follows from the length of a sequence alone.
  bool countsByLength() const { return !words && !joined; }
};

/// Returns the number of tokens to predict in a sequence of `length` >= 3 tokens, [CLS] and [SEP] included:
/// round(probability * L), halves up, clamped to [1, L], with L = length - 2. Depends on the length only, so the loss
/// denominator of a step is known before its first pass.
std::int64_t predictedTokens(std::int64_t length, double probability);

/// Returns the number of tokens that maskSequence() predicts. With MaskSpec::countsByLength() it is that of the length.
std::int64_t predictedTokens(std::span<const std::int32_t> sequence, std::int64_t sampleId, const MaskingKey& key,
                             const MaskSpec& spec);

/// Masks one sequence (with [CLS] and [SEP]) in place and appends the predicted positions, ascending and relative to
/// the start of `sequence`, and their original ids. Candidates are all but the first, the last and separators;
/// n = round(probability * candidates), halves up, clamped to [1, candidates]. Single tokens: exactly n of them,
/// uniformly. Whole words: words in a random order, each taken if it does not exceed what is left of n; if every word
/// is longer than n, the shortest (the first of them in that order). Without candidates nothing is predicted.
/// Deterministic in its arguments, independent of machine, batch and device.
void maskSequence(std::span<std::int32_t> sequence, std::int64_t sampleId, const MaskingKey& key, const MaskSpec& spec,
                  std::vector<std::int32_t>& positions, std::vector<std::int32_t>& labels);

/// Input of one forward and backward pass on one device, unpadded: sequences are concatenated.
struct MicroBatch {
  std::vector<std::int32_t> tokenIds;        ///< [tokens], after masking
  std::vector<std::int32_t> sequenceStarts;  ///< [sequences + 1], offsets into tokenIds; the last is tokens()
  /// [segments + 1], offsets into tokenIds: attention stays inside a segment and positions restart in it. Includes all
  /// sequenceStarts; empty: the segments are the sequences.
  std::vector<std::int32_t> attentionStarts;
  std::vector<std::int32_t> segmentTypes;        ///< [tokens]; empty: all 0
  std::vector<std::int32_t> predictedPositions;  ///< [predicted], ascending, indices into tokenIds
  std::vector<std::int32_t> labels;              ///< [predicted], ids before masking
  std::vector<std::int64_t> sampleIds;           ///< [sequences]
  std::vector<std::int32_t> indicesInStep;       ///< [sequences], index in the step over all devices; seeds dropout
  std::int64_t firstIndexInStep = 0;             ///< of the first sequence
  std::int32_t longest = 0;                      ///< tokens of the longest sequence

  std::int64_t tokens() const { return static_cast<std::int64_t>(tokenIds.size()); }
  std::int64_t sequences() const { return static_cast<std::int64_t>(sampleIds.size()); }
  std::int64_t predicted() const { return static_cast<std::int64_t>(labels.size()); }
};

/// Reads and masks `sampleIds` (0 <= id < dataset.size()), which have the indices firstIndexInStep, firstIndexInStep +
/// 1, ... in their step. Deterministic in its arguments. At most 2^31 - 1 tokens in total.
MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::int64_t firstIndexInStep, const MaskingKey& key, const MaskSpec& spec);
/// Overload for samples with arbitrary indices in the step. Requires as many indices as samples.
MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::span<const std::int32_t> indicesInStep, const MaskingKey& key, const MaskSpec& spec);

/// Bytes of UTF-8 of the text under tokens, by which a loss becomes bits per byte: the nats of the predicted tokens
/// / ln 2 / the bytes under them. All tokens of a dataset together have the bytes of its documents, each in proportion
/// to Tokenizer::ownBytes(). With a byte-level tokenizer these already are the bytes of the text. What others drop or
/// hide (white space, accents, what [UNK] stands for) is thus spread over the tokens. Vocabularies compare only of
/// tokenizers that lose nothing: a text without case, or with [UNK], is easier to predict over the same bytes.
/// Immutable and thread-safe.
class TextBytes {
 public:
  /// A dataset that does not know the bytes of its documents: each token has its own.
  TextBytes(const Tokenizer& tokenizer, const TokenDataset& data);

  double under(std::span<const std::int32_t> ids) const;

 private:
  std::vector<std::int32_t> own_;  // by id
  double scale_ = 1.0;
};

}  // namespace batchwise
