// SPDX-License-Identifier: GPL-3.0-or-later
// Runs our tokenizer for the tests that compare it with the one of Hugging Face. TEXTS and IDS are JSON arrays; a text
// is a string, or an array of bytes if it is not UTF-8.
//
//   tokenizer_tool encode plain|recognize TOKENIZER TEXTS IDS     the ids of each text, without [CLS] and [SEP]
//   tokenizer_tool serve                                          answers lines {file, config, texts, mode} with {ids,
//   bert,
//                                                                 cls, sep, mask, pad}, or {refused}
//   tokenizer_tool time TOKENIZER TEXTS ROUNDS                    prints seconds of the best round over all texts
//   tokenizer_tool train VOCAB_SIZE TEXT_FILE FOLDER              trains byte-level BPE, writes tokenizer.json
//   tokenizer_tool charsmap                                       prints the character map nmt_nfkc, in base64
#include <sentencepiece_trainer.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/file.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary_trainer.h"

namespace batchwise {
namespace {

using nlohmann::json;

template <typename T>
T orThrow(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

std::vector<std::string> textsOf(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> texts;
  for (const json& text : json::parse(file)) {
    if (text.is_string()) {
      texts.push_back(text.get<std::string>());
      continue;
    }
    texts.emplace_back();
    for (const json& byte : text) texts.back().push_back(static_cast<char>(byte.get<int>()));
  }
  return texts;
}

void encode(const std::string& special, const std::string& path, const std::string& texts, const std::string& out) {
  const Tokenizer tokenizer = orThrow(Tokenizer::load(path, true));
  const bool plain = special == "plain";
  Tokenizer::Encoder encoder(tokenizer, plain ? SpecialTokensInText::Plain : SpecialTokensInText::Recognize);
  json all = json::array();
  for (const std::string& text : textsOf(texts)) {
    std::vector<std::int32_t> ids;
    encoder.append(text, ids);
    all.push_back(ids);
  }
  std::ofstream(out) << all.dump();
}

json answerTo(const json& asked) {
  const auto made = Tokenizer::fromTexts(
      {{}, true, asked.at("file").get<std::string>(), asked.at("config").get<std::string>()}, "file");
  if (!made.ok()) return {{"refused", made.error().message}};
  const bool plain = asked.at("mode") == "plain";
  Tokenizer::Encoder encoder(*made, plain ? SpecialTokensInText::Plain : SpecialTokensInText::Recognize);
  json all = json::array();
  for (const auto& text : asked.at("texts").get<std::vector<std::string>>()) {
    std::vector<std::int32_t> ids, again;
    encoder.append(text, ids);
    encoder.append(text, again);
    if (again != ids) throw std::runtime_error("the cache gives other ids");
    all.push_back(ids);
  }
  const SpecialIds& special = made->vocabulary().special();
  return {{"ids", all},         {"bert", made->isBert()}, {"cls", special.cls},
          {"sep", special.sep}, {"mask", special.mask},   {"pad", special.pad}};
}

void serve() {
  for (std::string line; std::getline(std::cin, line);) std::cout << answerTo(json::parse(line)).dump() << std::endl;
}

double processorSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void measure(const std::string& path, const std::string& texts, int rounds) {
  const Tokenizer tokenizer = orThrow(Tokenizer::load(path, true));
  const auto all = textsOf(texts);
  double best = std::numeric_limits<double>::infinity();
  std::size_t tokens = 0;
  for (int round = 0; round < rounds; ++round) {
    Tokenizer::Encoder encoder(tokenizer);
    tokens = 0;
    const double begin = processorSeconds();
    for (const std::string& text : all) {
      std::vector<std::int32_t> ids;
      encoder.append(text, ids);
      tokens += ids.size();
    }
    best = std::min(best, processorSeconds() - begin);
  }
  std::cout << json{{"seconds", best}, {"tokens", tokens}}.dump() << "\n";
}

void train(int vocabSize, const std::string& text, const std::string& folder) {
  BytePairCounter counter;
  std::ifstream file(text);
  for (std::string line; std::getline(file, line);) counter.add(line + "\n");
  const std::string trained = orThrow(trainBytePairs(counter, vocabSize));
  std::ofstream(folder + "/tokenizer.json") << trained;
}

/// The field `number` of a message in the wire format of Protocol Buffers: its bytes, if it is of that type.
std::string bytesField(std::string_view message, std::uint64_t number) {
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(message.at(at++));
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const std::uint64_t key = varint();
    if (key % 8 == 0) {
      varint();
    } else if (key % 8 == 5 || key % 8 == 1) {
      at += key % 8 == 5 ? 4 : 8;
    } else {
      const auto bytes = static_cast<std::size_t>(varint());
      if (key / 8 == number) return std::string(message.substr(at, bytes));
      at += bytes;
    }
  }
  throw std::runtime_error("the model of sentencepiece lacks a field");
}

class OneSentence final : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return text_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  bool done_ = false;
  std::string text_ = "a few words of a text that has hardly any words";
};

void printCharsmap() {
  OneSentence source;
  std::string model;
  const std::unordered_map<std::string, std::string> options{{"model_type", "char"},
                                                             {"vocab_size", "100"},
                                                             {"hard_vocab_limit", "false"},
                                                             {"normalization_rule_name", "nmt_nfkc"},
                                                             {"minloglevel", "2"}};
  if (const auto made = sentencepiece::SentencePieceTrainer::Train(options, &source, &model); !made.ok())
    throw std::runtime_error(made.ToString());
  const std::string map = bytesField(bytesField(model, 3), 2);
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < map.size(); at += 3) {
    std::uint32_t three = 0;
    const std::size_t count = std::min<std::size_t>(3, map.size() - at);
    for (std::size_t i = 0; i < 3; ++i) three = three << 8 | (i < count ? static_cast<std::uint8_t>(map[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) text.push_back(i <= count ? kDigits[three >> (18 - 6 * i) & 63] : '=');
  }
  std::cout << text << "\n";
}

int run(const std::vector<std::string>& a) {
  if (a.size() == 5 && a[0] == "encode") return encode(a[1], a[2], a[3], a[4]), 0;
  if (a.size() == 1 && a[0] == "serve") return serve(), 0;
  if (a.size() == 4 && a[0] == "time") return measure(a[1], a[2], std::stoi(a[3])), 0;
  if (a.size() == 4 && a[0] == "train") return train(std::stoi(a[1]), a[2], a[3]), 0;
  if (a.size() == 1 && a[0] == "charsmap") return printCharsmap(), 0;
  throw std::runtime_error("usage: see the head of tokenizer_tool.cpp");
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) try {
  return batchwise::run({argv + 1, argv + argc});
} catch (const std::exception& e) {
  std::cerr << "tokenizer_tool: " << e.what() << "\n";
  return 1;
}
