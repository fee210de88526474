// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/byte_pair_trainer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>

#include "core/base/format.h"
#include "core/text/tokenizer_json.h"
#include "core/text/unicode.h"
#include "core/text/vocabulary.h"

namespace batchwise {
namespace {

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

BytePairCounter::BytePairCounter(std::size_t maxWords)
    : maxWords_(maxWords),
      normalizer_({FormStep{unicode::NormalForm::Nfc}}),
      preTokenizer_({SplitStep{SplitPattern::Gpt2, {}, SplitBehavior::Isolated, false}}) {}

void BytePairCounter::add(std::string_view document) {
  std::string repaired;
  if (!unicode::isWellFormed(document)) document = repaired = unicode::repaired(document);
  const std::string_view normalized = normalizer_.apply(document, buffers_);
  const std::string_view text = preTokenizer_.split(normalized, true, split_);
  for (const PreTokenizer::Span word : split_.words) {
    key_.assign(text.substr(word.begin, word.end - word.begin));
    ++words_[key_];
    if (words_.size() <= maxWords_) continue;
    while (words_.size() > maxWords_ / 2) {
      ++pruned_;
      std::erase_if(words_, [this](const auto& known) { return known.second <= pruned_; });
    }
  }
}

std::vector<std::pair<std::string, std::int64_t>> BytePairCounter::words() const {
  std::vector<std::pair<std::string, std::int64_t>> sorted(words_.begin(), words_.end());
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
