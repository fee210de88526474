// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/vocabulary_trainer.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <unordered_set>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/text/pieces.h"
#include "core/text/tokenizer_json.h"
#include "core/text/unicode.h"
#include "core/text/vocabulary.h"

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

using nlohmann::ordered_json;

constexpr const char* kSpecialTokens[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
constexpr std::int32_t kSpecials = 5;
constexpr std::int32_t kFirstMerged = kSpecials + 256;
constexpr std::int64_t kFewestOccurrences = 2;  // of a pair that is merged
constexpr std::size_t kLongestToken = 48;       // bytes

/// The bytes in the order of the characters that stand for them.
std::vector<char> bytesInOrder() {
  std::vector<char> bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  std::sort(bytes.begin(), bytes.end(), [](char a, char b) { return byteLevelText({&a, 1}) < byteLevelText({&b, 1}); });
  return bytes;
}

using Pair = std::pair<std::int32_t, std::int32_t>;
struct PairHash {
  std::size_t operator()(const Pair& pair) const {
    return std::hash<std::uint64_t>()(std::uint64_t{static_cast<std::uint32_t>(pair.first)} << 32 |
                                      static_cast<std::uint32_t>(pair.second));
  }
};

/// Merges pairs, the most frequent one first.
class BytePairTraining {
 public:
  BytePairTraining(const BytePairCounter& counts, std::vector<std::string>& texts) : texts_(texts) {
    std::int32_t ids[256];
    const auto bytes = bytesInOrder();
    for (std::size_t i = 0; i < bytes.size(); ++i)
      ids[static_cast<std::uint8_t>(bytes[i])] = kSpecials + static_cast<std::int32_t>(i);
    for (const auto& [text, count] : counts.words()) {
      Word word{{}, count};
      for (const char c : text) word.symbols.push_back(ids[static_cast<std::uint8_t>(c)]);
      const auto number = static_cast<std::uint32_t>(words_.size());
      for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i)
        note({word.symbols[i], word.symbols[i + 1]}, number, count);
      words_.push_back(std::move(word));
    }
    for (const auto& [pair, found] : pairs_) queue_.push({found.count, pair});
  }

  /// Merges the best pair. Returns false if none is left.
  bool mergeNext(std::vector<Pair>& merges) {
    while (!queue_.empty()) {
      const Candidate top = queue_.top();
      queue_.pop();
      const auto found = pairs_.find(top.pair);
      if (found == pairs_.end()) continue;
      if (found->second.count != top.count) {  // it has become rarer since, or more frequent and is listed again
        if (found->second.count < top.count && found->second.count >= kFewestOccurrences)
          queue_.push({found->second.count, top.pair});
        continue;
      }
      if (top.count < kFewestOccurrences) return false;
      if (!merge(top.pair)) continue;
      merges.push_back(top.pair);
      return true;
    }
    return false;
  }

 private:
  struct Word {
    std::vector<std::int32_t> symbols;
    std::int64_t count;
  };
  struct Found {
    std::int64_t count = 0;
    std::vector<std::uint32_t> words;  // in which the pair may occur; some more than once
  };
  struct Candidate {
    std::int64_t count;
    Pair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void note(const Pair& pair, std::uint32_t word, std::int64_t count) {
    Found& found = pairs_[pair];
    found.count += count;
    if (found.words.empty() || found.words.back() != word) found.words.push_back(word);
  }

  /// Returns false if the pair makes a token that is too long, or one that exists.
  bool merge(const Pair& pair) {
    const std::string text =
        texts_[static_cast<std::size_t>(pair.first)] + texts_[static_cast<std::size_t>(pair.second)];
    const std::vector<std::uint32_t> where = std::move(pairs_[pair].words);
    if (text.size() > kLongestToken || !known_.insert(text).second) {
      pairs_.erase(pair);
      return false;
    }
    const auto id = static_cast<std::int32_t>(texts_.size());
    texts_.push_back(text);
    std::set<Pair> touched;
    for (const std::uint32_t number : where) mergeIn(number, pair, id, touched);
    pairs_.erase(pair);
    for (const Pair& changed : touched)
      if (const auto found = pairs_.find(changed); found != pairs_.end() && changed != pair)
        queue_.push({found->second.count, changed});
    return true;
  }

  void mergeIn(std::uint32_t number, const Pair& pair, std::int32_t id, std::set<Pair>& touched) {
    Word& word = words_[number];
    auto& symbols = word.symbols;
    for (std::size_t at = 0; at + 1 < symbols.size(); ++at) {
      if (symbols[at] != pair.first || symbols[at + 1] != pair.second) continue;
      if (at > 0) {
        drop({symbols[at - 1], pair.first}, word.count);
        note({symbols[at - 1], id}, number, word.count);
        touched.insert({symbols[at - 1], id});
      }
      if (at + 2 < symbols.size()) {
        drop({pair.second, symbols[at + 2]}, word.count);
        note({id, symbols[at + 2]}, number, word.count);
        touched.insert({id, symbols[at + 2]});
      }
      symbols[at] = id;
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
  }

  void drop(const Pair& pair, std::int64_t count) {
    if (const auto found = pairs_.find(pair); found != pairs_.end()) found->second.count -= count;
  }

  std::vector<std::string>& texts_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Found, PairHash> pairs_;
  std::priority_queue<Candidate> queue_;
  std::set<std::string> known_;
};

ordered_json frameJson() {
  const auto token = [](const char* name, int type) {
    return ordered_json{{"SpecialToken", {{"id", name}, {"type_id", type}}}};
  };
  const auto sequence = [](const char* name, int type) {
    return ordered_json{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  const auto entry = [](const char* name, std::int32_t id) {
    return ordered_json{{"id", name}, {"ids", ordered_json::array({id})}, {"tokens", ordered_json::array({name})}};
  };
  ordered_json frame = {{"type", "TemplateProcessing"}};
  frame["single"] = ordered_json::array({token("[CLS]", 0), sequence("A", 0), token("[SEP]", 0)});
  frame["pair"] = ordered_json::array(
      {token("[CLS]", 0), sequence("A", 0), token("[SEP]", 0), sequence("B", 1), token("[SEP]", 1)});
  frame["special_tokens"] = {{"[CLS]", entry("[CLS]", 2)}, {"[SEP]", entry("[SEP]", 3)}};
  return frame;
}

constexpr std::string_view kVocabularyPlace = "the vocabulary";

/// The vocabulary as a JSON object in the order of the ids.
std::string vocabularyJson(const std::vector<std::string>& names) {
  std::string text = "{";
  for (std::size_t id = 0; id < names.size(); ++id)
    text.append(id == 0 ? "" : ",")
        .append("\n   ")
        .append(nlohmann::json(names[id]).dump())
        .append(": ")
        .append(std::to_string(id));
  return text + "\n  }";
}

std::vector<std::string> tokenNames(const std::vector<std::string>& texts, std::int32_t vocabSize) {
  std::vector<std::string> names(kSpecialTokens, kSpecialTokens + kSpecials);
  for (std::size_t id = kSpecials; id < texts.size(); ++id) names.push_back(byteLevelText(texts[id]));
  const std::set<std::string> known(names.begin(), names.end());
  for (int number = 0; static_cast<std::int32_t>(names.size()) < vocabSize; ++number)
    if (std::string name = "[unused" + std::to_string(number) + "]"; !known.contains(name))
      names.push_back(std::move(name));
  return names;
}

ordered_json addedTokens() {
  ordered_json added = ordered_json::array();
  for (std::int32_t id = 0; id < kSpecials; ++id)
    added.push_back({{"id", id},
                     {"content", kSpecialTokens[id]},
                     {"single_word", false},
                     {"lstrip", id == kSpecials - 1},  // the space before [MASK] is part of no token
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  return added;
}

std::string fileOf(const std::vector<std::string>& texts, const std::vector<Pair>& merges, std::int32_t vocabSize) {
  const std::vector<std::string> names = tokenNames(texts, vocabSize);
  ordered_json pairs = ordered_json::array();
  for (const auto& [left, right] : merges)
    pairs.push_back(
        ordered_json::array({names[static_cast<std::size_t>(left)], names[static_cast<std::size_t>(right)]}));
  const ordered_json byteLevel = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  ordered_json model = {{"type", "BPE"},
                        {"dropout", nullptr},
                        {"unk_token", nullptr},
                        {"continuing_subword_prefix", nullptr},
                        {"end_of_word_suffix", nullptr},
                        {"fuse_unk", false},
                        {"byte_fallback", false},
                        {"ignore_merges", false}};
  model["vocab"] = kVocabularyPlace;
  model["merges"] = std::move(pairs);
  ordered_json file = {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  file["added_tokens"] = addedTokens();
  file["normalizer"] = {{"type", "NFC"}};
  file["pre_tokenizer"] = byteLevel;
  file["post_processor"] = frameJson();
  file["decoder"] = byteLevel;
  file["model"] = std::move(model);
  std::string text = file.dump(1) + "\n";
  const std::string place = nlohmann::json(kVocabularyPlace).dump();
  return text.replace(text.find(place), place.size(), vocabularyJson(names));
}

}  // namespace

void CountedWordSet::add(std::string_view word) {
  key_.assign(word);
  ++words_[key_];
  if (words_.size() <= most_) return;
  while (words_.size() > most_ / 2) {
    ++pruned_;
    std::erase_if(words_, [this](const auto& known) { return known.second <= pruned_; });
  }
}

WordCounter::WordCounter(bool lowercase, std::size_t maxWords) : splitter_(lowercase), words_(maxWords) {}

void WordCounter::add(std::string_view document) {
  splitter_.split(document, [this](std::string_view word) { addWord(word); });
}

void WordCounter::addWord(std::string_view word) {
  words_.add(word);
  const bool single = static_cast<std::size_t>(decodeUtf8(word).bytes) == word.size();
  while (!word.empty()) {
    const Utf8Step step = decodeUtf8(word);
    Character& character = characters_[step.codePoint];
    character.codePoint = step.codePoint;
    character.insideWords |= !single;
    ++character.count;
    word.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
}

CountedWords WordCounter::mostFrequent(std::size_t limit) const {
  CountedWords words(words_.words().begin(), words_.words().end());
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

BytePairCounter::BytePairCounter(std::size_t maxWords)
    : normalizer_({FormStep{unicode::NormalForm::Nfc}}),
      preTokenizer_({SplitStep{SplitPattern::Gpt2, {}, SplitBehavior::Isolated, false}}),
      words_(maxWords) {}

void BytePairCounter::add(std::string_view document) {
  std::string repaired;
  if (!unicode::isWellFormed(document)) document = repaired = unicode::repaired(document);
  const std::string_view normalized = normalizer_.apply(document, buffers_);
  const std::string_view text = preTokenizer_.split(normalized, true, split_);
  for (const PreTokenizer::Span word : split_.words) words_.add(text.substr(word.begin, word.end - word.begin));
}

std::vector<std::pair<std::string, std::int64_t>> BytePairCounter::words() const {
  std::vector<std::pair<std::string, std::int64_t>> sorted(words_.words().begin(), words_.words().end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Result<std::string> trainBytePairs(const BytePairCounter& counts, std::int32_t vocabSize) {
  if (vocabSize < kFirstMerged || vocabSize > Vocabulary::kMaxTokens)
    return Error::config(formatText("tokenizer.train.vocab_size is {}; it must be {} to {}", vocabSize, kFirstMerged,
                                    Vocabulary::kMaxTokens));
  if (counts.isEmpty()) return Error::config("the training text has no words, so no vocabulary can be trained on it");
  std::vector<std::string> texts(kSpecialTokens, kSpecialTokens + kSpecials);
  for (const char byte : bytesInOrder()) texts.emplace_back(1, byte);
  std::vector<Pair> merges;
  BytePairTraining training(counts, texts);
  while (static_cast<std::int32_t>(texts.size()) < vocabSize && training.mergeNext(merges)) {
  }
  return fileOf(texts, merges, vocabSize);
}

}  // namespace batchwise
