// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text/unicode.h"
#include "core/text/word_cache.h"

namespace batchwise {

/// Texts with values >= 0 as a trie over their bytes. Immutable and thread-safe.
class PieceTrie {
 public:
  /// Of two equal texts the later one counts; empty ones are left out. The texts are not needed afterwards.
  explicit PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> pieces);

  static constexpr std::uint32_t kRoot = 0;
  /// Returns the node behind `node` and `label`; kRoot if there is none.
  std::uint32_t child(std::uint32_t node, std::uint8_t label) const {
    const Node& parent = nodes_[node];
    if (parent.children > kFew) return tables_[parent.table][label];
    std::uint64_t labels = 0;
    std::memcpy(&labels, labels_.data() + parent.firstChild, sizeof labels);  // of the children, and others behind
    const std::uint64_t differing = labels ^ kOnes * label;
    const std::uint64_t equal = (differing - kOnes) & ~differing & kOnes << 7;  // up to the first equal byte
    const auto which = static_cast<std::uint32_t>(std::countr_zero(equal)) / 8;
    return which < parent.children ? parent.firstChild + which : kRoot;
  }
  /// Returns the value of the text that leads to `node`; -1 if it is only the beginning of others.
  std::int32_t value(std::uint32_t node) const { return nodes_[node].value; }

 private:
  static constexpr std::uint32_t kFew = 8;  // children that are found by their labels
  static constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  static_assert(std::endian::native == std::endian::little);
  struct Node {
    std::uint32_t firstChild = 0;  // the children of a node stand side by side
    std::uint32_t table = 0;
    std::uint32_t children = 0;
    std::int32_t value = -1;
  };

  std::vector<Node> nodes_;
  std::vector<std::uint8_t> labels_;                    // by node: the byte that leads to it
  std::vector<std::array<std::uint32_t, 256>> tables_;  // children by label, of nodes with more than a few
};

/// A WordPiece model: token texts with their ids.
struct WordPieceSpec {
  static constexpr int kMaxCodePoints = 100;  ///< of BERT's tokenizer

  std::vector<std::pair<std::string, std::int32_t>> tokens;
  std::int32_t unknown = 0;
  std::string continuation = "##";     ///< what pieces inside a word begin with
  int maxCodePoints = kMaxCodePoints;  ///< longer words are unknown
};

/// Pieces by text: those that start a word, and those that continue one. Immutable and thread-safe.
class WordPieces {
 public:
  explicit WordPieces(const WordPieceSpec& spec);

  /// Appends the greedy longest match from the left; a single unknown token if some part has no piece. Returns how many
  /// steps in the tries of pieces it took.
  std::size_t append(std::string_view word, std::vector<std::int32_t>& ids) const;

 private:
  bool tooLong(std::string_view word) const;

  PieceTrie first_, continuation_;  // without the mark of the continuation
  std::int32_t unknown_;
  int maxCodePoints_;
};

/// The longest piece that a tokenizer.json may have, in bytes: what a byte of text may cost at most.
constexpr std::size_t kMaxPieceBytes = 1024;
/// What all pieces of a tokenizer.json may have together.
constexpr std::size_t kMaxPiecesBytes = std::size_t{32} << 20;

/// A unigram model as tokenizer.json describes it.
struct UnigramSpec {
  std::vector<std::pair<std::string, double>> pieces;  ///< text and score (log probability), by id
  std::int32_t unknown = -1;                           ///< -1: text with an unknown character is refused at loading
  std::vector<std::int32_t> byteTokens;  ///< byte_fallback: ids of <0x00> to <0xFF>, -1 if missing; empty: none
};

/// Unigram language model (Kudo 2018): the segmentation with the best sum of scores, ties for the one found first.
/// Immutable and thread-safe.
class UnigramModel {
 public:
  explicit UnigramModel(UnigramSpec spec);

  /// Appends the ids of a word; adjacent unknown characters are one token. Returns how many steps in the trie of pieces
  /// it took: at most the length of the longest piece for each byte.
  std::size_t append(std::string_view word, std::vector<std::int32_t>& ids) const;

 private:
  struct Best;
  std::size_t findBest(std::string_view word, Best* best) const;
  void appendBest(std::string_view word, Best* best, std::vector<std::int32_t>& ids) const;
  std::int32_t idOf(std::string_view text) const;
  void appendUnknown(std::string_view text, std::vector<std::int32_t>& ids) const;

  PieceTrie pieces_;
  std::vector<double> scores_;
  double unknownScore_ = 0;
  std::int32_t unknown_;
  std::vector<std::int32_t> byteTokens_;
};

/// A token that tokenizer.json adds to its model.
struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool special = false;     ///< split() finds it only without `ignoreSpecial`; texts to train on set that
  bool singleWord = false;  ///< only where no word character stands beside it
  bool leftStrip = false;   ///< takes the white space before it along
  bool rightStrip = false;
  bool normalized = false;  ///< sought in the normalized text, otherwise in the text as it is
};

/// A part of a text: one added token, or text between them.
struct TextPart {
  std::string_view text;
  std::int32_t id = -1;  ///< of an added token; -1: text
};

/// Finds added tokens in a text: leftmost, then longest. Immutable and thread-safe.
class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  bool isEmpty() const { return tokens_.empty(); }
  /// Appends the parts of `text`. With `ignoreSpecial`, special tokens are text, as with the option
  /// encode_special_tokens of the reference. Returns how many steps it took beyond one for each byte.
  std::size_t split(std::string_view text, bool ignoreSpecial, std::vector<TextPart>& parts) const;

 private:
  /// Returns the longest token that `text` begins with; null if there is none.
  const AddedToken* longestAt(std::string_view text, std::size_t& steps) const;

  std::vector<AddedToken> tokens_;
  PieceTrie contents_{{}};  // values: places in tokens_
  // A token can start with bytes a and b only if firstBits_[a] & secondBits_[b] is not 0. Each first byte has one of
  // eight bits.
  std::array<std::uint8_t, 256> firstBits_{}, secondBits_{};
};

/// What symbols a word of a byte-pair model begins with.
enum class BytePairSymbols {
  Bytes,       ///< its bytes: byte-level models
  Characters,  ///< its code points
};

/// A byte-pair model as tokenizer.json describes it; texts of tokens as they occur in words (bytes of byte-level tokens
/// already decoded).
struct BytePairSpec {
  BytePairSymbols symbols = BytePairSymbols::Bytes;
  std::vector<std::pair<std::string, std::int32_t>> tokens;  ///< text and id
  struct Merge {
    std::int32_t left, right, merged;
  };
  std::vector<Merge> merges;             ///< best first
  std::int32_t unknown = -1;             ///< -1: characters without a token are dropped
  bool fuseUnknown = false;              ///< one token for adjacent unknown characters
  bool ignoreMerges = false;             ///< a word that is a token is that token
  std::vector<std::int32_t> byteTokens;  ///< byte_fallback: ids of <0x00> to <0xFF>, -1 if missing; empty: none
};

/// Byte-pair encoding of words (Sennrich et al. 2016): the adjacent pair of the best rank is merged, the leftmost one
/// first, until no pair is left. Immutable and thread-safe.
class BytePairModel {
 public:
  explicit BytePairModel(BytePairSpec spec);

  /// Cuts `word` into parts where no merge joins what is on both sides, so that parts can be encoded one by one. Long
  /// words, and texts that are not split into words, have many.
  void cut(std::string_view word, std::vector<WordSpan>& parts) const;
  /// Whether a word must be encoded as a whole.
  bool wantsWholeWords() const { return ignoreMerges_; }

  /// Appends the ids of a word or of a part of one, without the check for ignore_merges. Returns how many merges it
  /// looked up: at most six for each symbol.
  std::size_t append(std::string_view part, std::vector<std::int32_t>& ids) const;
  /// Returns the id of the token that `word` is if the model ignores merges for such words; -1 otherwise.
  std::int32_t wholeWord(std::string_view word) const;

 private:
  struct Merge {
    std::uint64_t key;
    std::int32_t merged;
  };
  static constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

  static std::uint64_t hashOf(std::int32_t left, std::int32_t right);
  std::uint32_t rankOf(std::int32_t left, std::int32_t right) const;
  void noteCrossing(std::string_view left, std::string_view right);
  bool crosses(std::uint32_t left, std::uint32_t right) const;
  void startSymbols(std::string_view part, std::vector<std::int32_t>& ids) const;
  std::int32_t idOfCharacter(std::uint32_t codePoint) const;
  bool mayCutBetween(std::uint32_t left, std::uint32_t right) const;
  std::size_t mergeShort(std::vector<std::int32_t>& ids, std::size_t begin) const;
  std::size_t mergeLong(std::vector<std::int32_t>& ids, std::size_t begin) const;

  BytePairSymbols symbols_;
  std::int32_t unknown_;
  bool fuseUnknown_, ignoreMerges_;
  bool mayCut_ = true;
  std::vector<std::int32_t> byteTokens_;
  bool allByteTokens_ = false;
  std::array<std::int32_t, 256> ofByte_;                  // of bytes, or of ASCII characters; -1: none
  bool allBytes_ = false;                                 // every byte has a token
  unicode::CodePointTable<std::int32_t> afterCharacter_;  // 1 + the id; 0: none
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> wholeWords_;
  std::vector<Merge> merges_;             // by rank
  std::vector<std::uint32_t> slots_;      // hash table with open addressing: rank + 1, and a tag above; 0: empty
  int slotShift_ = 0;                     // of a hash: its upper bits say where to begin
  std::vector<std::uint64_t> crossings_;  // bits: pairs of bytes, or of hashed code points, that a merge joins
};

}  // namespace batchwise
