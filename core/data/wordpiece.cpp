// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/wordpiece.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/random.h"
#include "core/data/bert_splitter.h"
#include "core/data/word_pieces.h"

namespace batchwise {
namespace {

/// Changes whenever some text gets other ids with the same vocabulary and options.
constexpr std::string_view kTokenizerVersion = "wordpiece 1";

WordPieceSpec wordPieceSpec(const Vocabulary& vocabulary) {
  WordPieceSpec spec;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) spec.tokens.emplace_back(vocabulary.token(id), id);
  spec.unknown = vocabulary.special().unknown;
  spec.maxCodePoints = WordPiece::kMaxWordCodePoints;
  return spec;
}

/// Direct-mapped cache of the pieces of words; a new word replaces the old one of its slot. Holds only short words of
/// few pieces, so that slots have a fixed size.
class WordCache {
 public:
  static constexpr std::size_t kMaxBytes = 15;
  static constexpr std::size_t kMaxPieces = 5;

  struct Slot {
    std::array<std::uint64_t, 2> key{};  // the word's bytes, zero-padded, its length in the last byte; 0: empty
    std::array<std::int32_t, kMaxPieces> ids{};
    std::int32_t pieces = 0;
  };

  WordCache() : slots_(std::size_t{1} << kBits) {}

  static std::array<std::uint64_t, 2> keyOf(std::string_view word) {
    std::array<char, 16> bytes{};
    std::memcpy(bytes.data(), word.data(), word.size());
    bytes[15] = static_cast<char>(word.size());
    std::array<std::uint64_t, 2> key;
    std::memcpy(key.data(), bytes.data(), sizeof key);
    return key;
  }
  Slot& slot(const std::array<std::uint64_t, 2>& key) { return slots_[mix64(key[0] ^ mix64(key[1])) >> (64 - kBits)]; }

 private:
  static constexpr int kBits = 16;
  std::vector<Slot> slots_;
};

}  // namespace

class WordPiece::Encoder::Impl {
 public:
  Impl(const WordPiece& tokenizer, SpecialTokensInText special)
      : vocabulary_(tokenizer.vocabulary_),
        special_(special),
        splitter_(tokenizer.lowercase_),
        pieces_(wordPieceSpec(*vocabulary_)) {}

  void append(std::string_view text, std::vector<std::int32_t>& ids) {
    while (special_ == SpecialTokensInText::Recognize) {
      std::size_t at = std::string_view::npos;
      std::int32_t which = -1;
      for (const std::int32_t id : vocabulary_->specialIds()) {
        const std::size_t found = text.find(vocabulary_->token(id));
        if (found < at) at = found, which = id;
      }
      if (which < 0) break;
      appendPlain(text.substr(0, at), ids);
      ids.push_back(which);
      text.remove_prefix(at + vocabulary_->token(which).size());
    }
    appendPlain(text, ids);
  }

 private:
  void appendPlain(std::string_view text, std::vector<std::int32_t>& ids) {
    splitter_.split(text, [&](std::string_view word) { appendWord(word, ids); });
  }

  void appendWord(std::string_view word, std::vector<std::int32_t>& ids) {
    if (word.size() > WordCache::kMaxBytes) {
      pieces_.append(word, ids);
      return;
    }
    const auto key = WordCache::keyOf(word);
    WordCache::Slot& slot = cache_.slot(key);
    if (slot.key != key) {
      const std::size_t before = ids.size();
      pieces_.append(word, ids);
      const std::size_t count = ids.size() - before;
      if (count > WordCache::kMaxPieces) return;
      slot.key = key;
      slot.pieces = static_cast<std::int32_t>(count);
      std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(before), count, slot.ids.begin());
      return;
    }
    ids.insert(ids.end(), slot.ids.begin(), slot.ids.begin() + slot.pieces);
  }

  std::shared_ptr<const Vocabulary> vocabulary_;  // the encoder outlives its tokenizer
  SpecialTokensInText special_;
  BertSplitter splitter_;
  WordPieces pieces_;
  WordCache cache_;
};

WordPiece::WordPiece(Vocabulary vocabulary, bool lowercase)
    : vocabulary_(std::make_shared<const Vocabulary>(std::move(vocabulary))), lowercase_(lowercase) {}

Hash128 WordPiece::identity() const {
  Hasher hasher;
  hasher.update(kTokenizerVersion);
  hasher.update(lowercase_ ? "lower" : "cased");
  hasher.update(vocabulary_->text());
  return hasher.digest();
}

std::vector<std::int32_t> WordPiece::encode(std::string_view text, SpecialTokensInText special) const {
  std::vector<std::int32_t> ids;
  Encoder(*this, special).append(text, ids);
  return ids;
}

WordPiece::Encoder::Encoder(const WordPiece& tokenizer, SpecialTokensInText special)
    : impl_(std::make_unique<Impl>(tokenizer, special)) {}
WordPiece::Encoder::Encoder(Encoder&&) noexcept = default;
WordPiece::Encoder& WordPiece::Encoder::operator=(Encoder&&) noexcept = default;
WordPiece::Encoder::~Encoder() = default;

void WordPiece::Encoder::append(std::string_view text, std::vector<std::int32_t>& ids) {
  impl_->append(text, ids);
}

}  // namespace batchwise
