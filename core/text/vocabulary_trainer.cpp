// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/vocabulary_trainer.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/text/pieces.h"

namespace batchwise {
namespace {

constexpr std::int32_t kMinVocabSize = 16;
/// SentencePiece needs about 200 bytes per byte of input words: these bounds keep it below 150 MB. Rarer words hardly
/// influence the pieces.
constexpr std::size_t kTrainingWords = 100'000;
constexpr std::size_t kTrainingWordBytes = 600'000;
constexpr std::int32_t kMaxPieceCharacters = 32;
/// SentencePiece's marker for the start of a word (U+2581); it cannot handle this character in the text itself.
constexpr std::string_view kWordStart = "\xE2\x96\x81";

using CountedWords = std::vector<std::pair<std::string, std::int64_t>>;

/// Feeds counted words to SentencePiece in its "tsv" format: word, tab, count.
class WordSource final : public sentencepiece::SentenceIterator {
 public:
  explicit WordSource(const CountedWords& words) : words_(words) { render(); }
  bool done() const override { return at_ >= words_.size(); }
  void Next() override {
    ++at_;
    render();
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void render() {
    if (!done()) line_ = words_[at_].first + "\t" + std::to_string(words_[at_].second);
  }

  const CountedWords& words_;
  std::size_t at_ = 0;
  std::string line_;
};

/// Unique tokens in the order of their ids, up to a limit.
class TokenList {
 public:
  explicit TokenList(std::int32_t limit) : limit_(static_cast<std::size_t>(limit)) {}
  bool full() const { return tokens_.size() >= limit_; }
  void add(std::string token) {
    if (!full() && seen_.insert(token).second) tokens_.push_back(std::move(token));
  }
  std::size_t size() const { return tokens_.size(); }
  std::vector<std::string> take() && { return std::move(tokens_); }

 private:
  std::size_t limit_;
  std::vector<std::string> tokens_;
  std::unordered_set<std::string> seen_;
};

std::string textOf(std::uint32_t codePoint) {
  std::string text;
  appendUtf8(text, codePoint);
  return text;
}

/// Adds the most frequent characters, up to half of the vocabulary, and returns them.
std::unordered_set<std::uint32_t> addCharacters(const WordCounter& counts, std::int32_t vocabSize, TokenList& tokens) {
  std::unordered_set<std::uint32_t> kept;
  const std::size_t room = static_cast<std::size_t>(vocabSize) / 2;
  for (const WordCounter::Character& character : counts.characters()) {
    if (tokens.size() + (character.insideWords ? 2 : 1) > room) break;
    const std::string text = textOf(character.codePoint);
    tokens.add(text);
    if (character.insideWords) tokens.add("##" + text);
    kept.insert(character.codePoint);
  }
  return kept;
}

bool consistsOf(std::string_view word, const std::unordered_set<std::uint32_t>& characters) {
  while (!word.empty()) {
    const Utf8Step step = decodeUtf8(word);
    if (!characters.contains(step.codePoint)) return false;
    word.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  return true;
}

/// Returns byte-pair pieces of `words`, best first, about `wanted` of them.
Result<std::vector<std::string>> bytePairPieces(const CountedWords& words, std::size_t wanted) {
  const std::unordered_map<std::string, std::string> options{
      {"model_type", "bpe"},
      {"input_format", "tsv"},
      {"vocab_size", std::to_string(wanted)},
      {"hard_vocab_limit", "false"},
      {"character_coverage", "1.0"},
      {"normalization_rule_name", "identity"},
      {"split_by_unicode_script", "false"},
      {"split_by_number", "false"},
      {"max_sentencepiece_length", std::to_string(kMaxPieceCharacters)},
      {"num_threads", "1"},
      {"bos_id", "-1"},
      {"eos_id", "-1"},
      {"minloglevel", "2"}};
  WordSource source(words);
  std::string model;
  const auto trained = sentencepiece::SentencePieceTrainer::Train(options, &source, &model);
  if (!trained.ok())
    return Error::config(formatText("no vocabulary can be trained on this text: {}", trained.ToString()));
  sentencepiece::SentencePieceProcessor processor;
  if (const auto loaded = processor.LoadFromSerializedProto(model); !loaded.ok())
    return Error::internal(formatText("the trained vocabulary cannot be read: {}", loaded.ToString()));
  std::vector<std::string> pieces;
  for (int id = 0; id < processor.GetPieceSize(); ++id)
    if (!processor.IsUnknown(id) && !processor.IsControl(id)) pieces.push_back(processor.IdToPiece(id));
  return pieces;
}

}  // namespace

WordCounter::WordCounter(bool lowercase, std::size_t maxWords) : splitter_(lowercase), maxWords_(maxWords) {}

void WordCounter::add(std::string_view document) {
  splitter_.split(document, [this](std::string_view word) { addWord(word); });
}

void WordCounter::addWord(std::string_view word) {
  key_.assign(word);
  const auto [place, isNew] = words_.try_emplace(key_, 0);
  ++place->second;
  const bool single = static_cast<std::size_t>(decodeUtf8(word).bytes) == word.size();
  while (!word.empty()) {
    const Utf8Step step = decodeUtf8(word);
    Character& character = characters_[step.codePoint];
    character.codePoint = step.codePoint;
    character.insideWords |= !single;
    ++character.count;
    word.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  if (isNew && words_.size() > maxWords_) prune();
}

void WordCounter::prune() {
  while (words_.size() > maxWords_ / 2) {
    ++pruned_;
    std::erase_if(words_, [this](const auto& word) { return word.second <= pruned_; });
  }
}

CountedWords WordCounter::mostFrequent(std::size_t limit) const {
  CountedWords words(words_.begin(), words_.end());
  const auto before = [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  };
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(limit, words.size()));
  std::partial_sort(words.begin(), end, words.end(), before);
  words.erase(end, words.end());
  return words;
}

std::vector<WordCounter::Character> WordCounter::characters() const {
  std::vector<Character> sorted;
  for (const auto& [codePoint, character] : characters_) sorted.push_back(character);
  std::sort(sorted.begin(), sorted.end(), [](const Character& a, const Character& b) {
    return a.count != b.count ? a.count > b.count : a.codePoint < b.codePoint;
  });
  return sorted;
}

Result<Vocabulary> trainVocabulary(const WordCounter& counts, std::int32_t vocabSize) {
  if (vocabSize < kMinVocabSize || vocabSize > Vocabulary::kMaxTokens)
    return Error::config(formatText("tokenizer.train.vocab_size is {}; it must be {} to {}", vocabSize, kMinVocabSize,
                                    Vocabulary::kMaxTokens));
  TokenList tokens(vocabSize);
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) tokens.add(special);
  const auto characters = addCharacters(counts, vocabSize, tokens);
  if (characters.empty()) return Error::config("the training text has no words, so no vocabulary can be trained on it");
  CountedWords words = counts.mostFrequent(kTrainingWords);
  std::size_t bytes = 0;
  std::erase_if(words, [&](const auto& word) {
    const std::string& text = word.first;
    if (text.size() > static_cast<std::size_t>(WordPieceSpec::kMaxCodePoints)) return true;
    if (text.find(kWordStart) != std::string::npos || !consistsOf(text, characters)) return true;
    return (bytes += text.size()) > kTrainingWordBytes;
  });
  if (!words.empty()) {
    // The result includes single characters, which have been added above.
    ASSIGN_OR_RETURN(const auto pieces,
                     bytePairPieces(words, static_cast<std::size_t>(vocabSize) + 2 * characters.size() + 8));
    for (const std::string& piece : pieces) {
      const bool starts = piece.starts_with(kWordStart);
      const std::string text = starts ? piece.substr(kWordStart.size()) : piece;
      const bool single = text.empty() || static_cast<std::size_t>(decodeUtf8(text).bytes) == text.size();
      if (!single) tokens.add(starts ? text : "##" + text);
    }
  }
  for (int i = 0; !tokens.full(); ++i) tokens.add("[unused" + std::to_string(i) + "]");
  return Vocabulary::fromTokens(std::move(tokens).take(), "the trained vocabulary");
}

}  // namespace batchwise
