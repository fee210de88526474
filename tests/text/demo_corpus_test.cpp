// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/demo_corpus.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "core/base/hash.h"

namespace batchwise {
namespace {

std::vector<std::string> paragraphsOf(const std::string& text) {
  std::vector<std::string> paragraphs;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find("\n\n", at);
    paragraphs.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return paragraphs;
}

TEST(DemoCorpusTest, IsTheSameEverywhere) {
  EXPECT_EQ(hash128(demoCorpus({.seed = 17, .paragraphs = 1000})).hex(), "82be6f5952548d2e00512ac323222b37");
  EXPECT_NE(demoCorpus({.seed = 18, .paragraphs = 10}), demoCorpus({.seed = 17, .paragraphs = 10}));
}

TEST(DemoCorpusTest, HasAFewMegabytesOfSomeHundredWords) {
  const std::string text = demoCorpus({});
  EXPECT_GT(text.size(), 1'000'000u);
  EXPECT_LT(text.size(), 2'500'000u);
  std::set<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.insert(word);
  EXPECT_GT(words.size(), 200u);
  EXPECT_LT(words.size(), 600u);
  const auto paragraphs = paragraphsOf(text);
  EXPECT_EQ(std::ssize(paragraphs), DemoCorpusSpec{}.paragraphs);
  EXPECT_GT(std::set<std::string>(paragraphs.begin(), paragraphs.end()).size(), paragraphs.size() * 99 / 100);
}

TEST(DemoCorpusTest, TheTopicReturnsAtTheEnd) {
  for (const std::string& paragraph : paragraphsOf(demoCorpus({.seed = 5, .paragraphs = 500}))) {
    const std::string opening = "this is the story of ";
    ASSERT_EQ(paragraph.rfind(opening, 0), 0u);
    const std::string topic = paragraph.substr(opening.size(), paragraph.find(" in the ") - opening.size());
    EXPECT_NE(paragraph.find(" so " + topic + " "), std::string::npos) << paragraph;
  }
}

TEST(DemoCorpusTest, VerbsAgreeWithTheirSubjects) {
  const std::string text = demoCorpus({.seed = 5, .paragraphs = 1000});
  const auto oneThing = [](const std::string& noun) {
    static const std::set<std::string> kMany{"children", "women", "men", "geese", "mice", "oxen"};
    return !noun.ends_with('s') && !kMany.contains(noun);
  };
  const auto ofOne = [](const std::string& verb) { return verb.ends_with('s'); };  // sees, runs, is
  static const std::regex objectClause(R"(the (\w+) that the (\w+) (\w+) (\w+))");
  static const std::regex subjectClause(R"(the (\w+) that (?!the )(\w+) the (\w+) (\w+))");
  int attractors = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), objectClause), end; it != end; ++it) {
    const std::smatch& m = *it;
    EXPECT_EQ(ofOne(m[3]), oneThing(m[2])) << m[0];
    EXPECT_EQ(ofOne(m[4]), oneThing(m[1])) << m[0];
    attractors += oneThing(m[1]) != oneThing(m[2]) ? 1 : 0;
  }
  for (std::sregex_iterator it(text.begin(), text.end(), subjectClause), end; it != end; ++it) {
    const std::smatch& m = *it;
    EXPECT_EQ(ofOne(m[2]), oneThing(m[1])) << m[0];
    EXPECT_EQ(ofOne(m[4]), oneThing(m[1])) << m[0];
  }
  EXPECT_GT(attractors, 200) << "the nearer noun often has the other number";
}

}  // namespace
}  // namespace batchwise
