// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/word_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/text/pieces.h"

namespace batchwise {
namespace {

using Ids = std::vector<std::int32_t>;

/// As many ids as the word has bytes, up to 9: the word's length and its bytes.
Ids idsOf(std::string_view word) {
  Ids ids{static_cast<std::int32_t>(word.size())};
  for (const char c : word.substr(0, 8)) ids.push_back(static_cast<std::uint8_t>(c));
  return ids;
}

TEST(LongWordCacheTest, GivesTheIdsOfEachWordAndMakesThoseOfShortWordsOnce) {
  std::string text;
  std::vector<WordSpan> words;
  Ids expected;
  const auto add = [&](const std::string& word) {
    const auto begin = static_cast<std::uint32_t>(text.size());
    text += word;
    words.push_back({begin, static_cast<std::uint32_t>(text.size())});
    for (const std::int32_t id : idsOf(word)) expected.push_back(id);
  };
  for (int round = 0; round < 3; ++round)
    for (int size = 0; size <= 40; ++size) add(std::string(static_cast<std::size_t>(size), 'x'));
  for (int round = 0; round < 2; ++round)
    for (const char* word : {"a", "b", "ab", "ba", "\xFF", "a\xFF", "eight888", "nine99999"}) add(word);
  add("a");  // less than a key before the end of the text
  LongWordCache cache;
  std::map<std::string, int> made;
  for (int round = 0; round < 2; ++round) {
    Ids found;
    cache.append(text, words, found, [&](std::string_view word, Ids& ids) {
      ++made[std::string(word)];
      for (const std::int32_t id : idsOf(word)) ids.push_back(id);
    });
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(made["x"], 1);
  EXPECT_EQ(made["a"], 1);
  EXPECT_EQ(made["xxxxxx"], 1) << "seven ids";
  EXPECT_EQ(made["xxxxxxx"], 6) << "eight ids are too many";
  EXPECT_EQ(made[std::string(31, 'x')], 6);
}

TEST(LongWordCacheTest, AWordMayBeMadeOfPartsThatAreCachedToo) {
  LongWordCache cache;
  int parts = 0;
  const std::string text(40, 'p');
  for (int round = 0; round < 2; ++round) {
    Ids ids;
    cache.append(text, std::vector<WordSpan>{{0, 40}, {0, 2}, {0, 40}}, ids, [&](std::string_view word, Ids& out) {
      if (word.size() <= 2) return out.push_back(2);
      cache.append(word, std::vector<WordSpan>{{0, 1}, {0, 1}}, out, [&](std::string_view, Ids& one) {
        ++parts;
        one.push_back(1);
      });
    });
    EXPECT_EQ(ids, (Ids{1, 1, 2, 1, 1}));
  }
  EXPECT_EQ(parts, 1);
}

TEST(PieceTrieTest, FindsEachPieceAndNothingElse) {
  std::vector<std::string> texts;
  for (int first = 0; first < 256; ++first)  // nodes of every number of children
    for (int second = 0; second <= first % 20; ++second)
      texts.push_back({static_cast<char>(first), static_cast<char>(second * 13)});
  for (const char* more : {"abc", "abcd", "abd", "a", ""}) texts.emplace_back(more);
  std::map<std::string, std::int32_t> expected;
  std::vector<std::pair<std::string_view, std::int32_t>> pieces;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    pieces.emplace_back(texts[i], static_cast<std::int32_t>(i));
    if (!texts[i].empty()) expected[texts[i]] = static_cast<std::int32_t>(i);
  }
  pieces.emplace_back("abd", 7000);
  expected["abd"] = 7000;
  const PieceTrie trie(pieces);
  std::size_t found = 0;
  for (int first = 0; first < 256; ++first) {
    const std::uint32_t one = trie.child(PieceTrie::kRoot, static_cast<std::uint8_t>(first));
    ASSERT_NE(one, PieceTrie::kRoot);
    for (int second = 0; second < 256; ++second) {
      const std::uint32_t two = trie.child(one, static_cast<std::uint8_t>(second));
      const auto known = expected.find({static_cast<char>(first), static_cast<char>(second)});
      if (two == PieceTrie::kRoot) {
        EXPECT_EQ(known, expected.end());
      } else if (first != 'a' || second != 'b') {
        ASSERT_NE(known, expected.end());
        EXPECT_EQ(trie.value(two), known->second);
        ++found;
      }
    }
  }
  EXPECT_EQ(found + 4, expected.size()) << "without a, abc, abcd, abd";
  const auto walk = [&](std::string_view text) {
    std::uint32_t node = PieceTrie::kRoot;
    for (const char c : text) node = trie.child(node, static_cast<std::uint8_t>(c));
    return trie.value(node);
  };
  for (const char* text : {"a", "abc", "abcd", "abd"}) EXPECT_EQ(walk(text), expected[text]) << text;
  EXPECT_EQ(walk("ab"), -1);
}

}  // namespace
}  // namespace batchwise
