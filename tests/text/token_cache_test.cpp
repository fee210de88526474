// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/token_cache.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "core/base/file.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/support/token_dataset.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

constexpr SpecialIds kSpecial{0, 1, 2, 3, 4};

TokenFileSpec specAt(const fs::path& path, std::int32_t maxSeqLen, bool join, std::int32_t vocabularySize = 100) {
  return {path, {7, 8}, kSpecial, vocabularySize, maxSeqLen, join};
}

TokenDataset written(const TokenFileSpec& spec, const std::vector<Ids>& documents) {
  auto writer = TokenFileWriter::open(spec).value();
  for (const Ids& ids : documents) EXPECT_TRUE(writer.add(ids, {1, 10, 2, 3}).ok());
  EXPECT_TRUE(writer.finish().ok());
  return TokenDataset::open(spec.path, CacheCheck::Content).value();
}

std::vector<Ids> sequencesOf(const TokenDataset& data) {
  std::vector<Ids> all;
  for (std::int64_t i = 0; i < data.size(); ++i) all.push_back(data.tokens(i));
  return all;
}

TEST(TokenFileTest, CutsDocumentsIntoFramedPieces) {
  const TempFolder folder;
  const TokenDataset data = written(specAt(folder / "a", 5, false), {{10, 11, 12, 13}, {}, {14, 1, 1}, {15}});
  EXPECT_THAT(sequencesOf(data), ElementsAre(Ids{2, 10, 11, 12, 3}, Ids{2, 13, 3}, Ids{2, 14, 1, 1, 3}, Ids{2, 15, 3}));
  EXPECT_EQ(data.length(0), 5u);
  EXPECT_EQ(data.length(3), 3u);
  EXPECT_EQ(data.identity(), (Hash128{7, 8}));
  EXPECT_EQ(data.statistics(), (DatasetStatistics{{4, 40, 8, 12}, 4, 16, 2, 5}));
  EXPECT_EQ(data.tokenCounts().size(), 100u);
  EXPECT_EQ(data.tokenCounts()[1], 2);
  EXPECT_EQ(data.tokenCounts()[15], 1);
  EXPECT_EQ(data.tokenCounts()[2], 0);
}

TEST(MixtureTest, EachStretchHasTheSharesOfTheWholeAndEachSampleAsOftenAsAnyOther) {
  std::vector<TokenDataset::Source> sources;
  std::vector<std::int64_t> drawn = {1000, 37, 700, 1};
  for (std::size_t source = 0; source < drawn.size(); ++source) {
    std::vector<Ids> sequences;
    for (std::int32_t i = 0; i < (source == 0 ? 300 : source == 1 ? 37 : source == 2 ? 650 : 1); ++i)
      sequences.push_back(Ids(static_cast<std::size_t>(1 + i % 5), static_cast<std::int32_t>(1000 * source) + 10 + i));
    sources.push_back({test::datasetOf(sequences, kSpecial, 5000), drawn[source]});
  }
  const TokenDataset mixed = TokenDataset::mix(sources);
  ASSERT_EQ(mixed.size(), 1738);
  std::vector<std::map<std::int32_t, int>> times(drawn.size());
  std::vector<std::int64_t> soFar(drawn.size());
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < mixed.size(); ++i) {
    const std::size_t source = mixed.sourceOf(i);
    const Ids sample = mixed.tokens(i);
    ASSERT_EQ(mixed.length(i), sample.size());
    ASSERT_EQ(static_cast<std::size_t>(sample[1]) / 1000, source);
    ++times[source][sample[1]];
    ++soFar[source];
    tokens += std::ssize(sample);
    for (std::size_t each = 0; each < drawn.size(); ++each)
      ASSERT_NEAR(static_cast<double>(soFar[each]),
                  static_cast<double>((i + 1) * drawn[each]) / static_cast<double>(mixed.size()), 3.0);
  }
  EXPECT_EQ(soFar, drawn);
  EXPECT_EQ(mixed.statistics().tokens, tokens);
  for (std::size_t source = 0; source < drawn.size(); ++source) {
    const auto [fewest, most] =
        std::ranges::minmax_element(times[source], {}, [](const auto& sample) { return sample.second; });
    EXPECT_EQ(std::ssize(times[source]), sources[source].data.size());
    EXPECT_LE(most->second - fewest->second, 1) << source;
  }
  const std::set<std::int32_t> twice = [&] {
    std::set<std::int32_t> ids;
    for (const auto& [id, count] : times[2])
      if (count == 2) ids.insert(id - 2010);
    return ids;
  }();
  EXPECT_EQ(twice.size(), 50U);
  EXPECT_GT(*twice.rbegin(), 600) << "what is repeated lies all over the source";
  sources[1].samples = 38;
  EXPECT_NE(TokenDataset::mix(sources).identity(), mixed.identity());
}

TEST(MixtureTest, SharesAreOfTokensAndTheTemperatureEvensThemOut) {
  DatasetStatistics large, small;
  large.tokens = 900'000, large.sequences = 9000;
  small.tokens = 100'000, small.sequences = 500;
  const std::vector<DatasetStatistics> both = {large, small};
  const auto passes = [&](const std::vector<double>& weights, double temperature) {
    return mixturePasses(both, weights, temperature);
  };
  using testing::DoubleNear;
  EXPECT_THAT(passes({}, 1), ElementsAre(1, 1));
  EXPECT_THAT(passes({0.5, 0.5}, 1), ElementsAre(1, DoubleNear(9, 1e-9)));
  EXPECT_THAT(passes({}, 2), ElementsAre(1, DoubleNear(3, 1e-9))) << "3 to 1 of the tokens";
  EXPECT_THAT(passes({99, 1}, 1), ElementsAre(DoubleNear(11, 1e-9), 1));
  for (const double temperature : {1.0, 0.01, 1e-6}) EXPECT_GT(passes({1, 1e-20}, temperature).front(), 1e18);
}

TEST(TokenFileTest, OneThatIsCutWhileItIsReadStaysInItsBoundsAndIsNamed) {
  const TempFolder folder;
  std::vector<Ids> documents;
  for (std::int32_t i = 0; i < 20'000; ++i) documents.emplace_back(static_cast<std::size_t>(1 + i % 7), 10 + i % 80);
  const fs::path file = folder / "cut";
  for (const std::int64_t left : {0, 100, 5000, 60'000, 150'000}) {
    const TokenDataset data = written(specAt(file, 16, false), documents);
    const TokenDataset untouched = TokenDataset::open(file).value();
    EXPECT_TRUE(untouched.intact().ok());
    fs::resize_file(file, static_cast<std::uintmax_t>(left));
    for (std::int64_t i = 0; i < data.size(); ++i) {
      ASSERT_LE(data.length(i), 16U);
      ASSERT_EQ(data.tokens(i).size(), data.length(i));
    }
    EXPECT_EQ(data.tokenCounts()[10], untouched.tokenCounts()[10]);
    for (const TokenDataset* each : {&data, &untouched}) {
      ASSERT_FALSE(each->intact().ok());
      EXPECT_THAT(each->intact().error().text(), HasSubstr(file.native()));
    }
    fs::remove(file);
  }
}

TEST(TokenFileTest, JoinsPiecesThatFitAsAWhole) {
  const TempFolder folder;
  const std::vector<Ids> documents = {{10}, {11, 12}, {13, 14}, {15, 16}, {17, 18, 19, 20, 21}, {22}, {23}, {24}};
  TokenFileSpec plain = specAt(folder / "a", 6, true);
  plain.documentSeparator = false;
  EXPECT_THAT(sequencesOf(written(plain, documents)),
              ElementsAre(Ids{2, 10, 11, 12, 3}, Ids{2, 13, 14, 15, 16, 3}, Ids{2, 17, 18, 19, 20, 3},
                          Ids{2, 21, 22, 23, 24, 3}));
  EXPECT_THAT(sequencesOf(written(specAt(folder / "b", 6, true), documents)),
              ElementsAre(Ids{2, 10, 3}, Ids{2, 11, 12, 3}, Ids{2, 13, 14, 3}, Ids{2, 15, 16, 3},
                          Ids{2, 17, 18, 19, 20, 3}, Ids{2, 21, 3, 2, 22, 3}, Ids{2, 23, 3, 2, 24, 3}));
}

TEST(TokenFileTest, KeepsLargeIdsAndMayBeEmpty) {
  const TempFolder folder;
  const TokenDataset wide = written(specAt(folder / "wide", 8, false, 70'000), {{69'999, 5}});
  EXPECT_THAT(wide.tokens(0), ElementsAre(2, 69'999, 5, 3));
  const TokenDataset edge = written(specAt(folder / "edge", 8, false, 65'536), {{65'535, 5}});
  EXPECT_THAT(edge.tokens(0), ElementsAre(2, 65'535, 5, 3));
  const TokenDataset empty = written(specAt(folder / "empty", 8, true), {{}, {}});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(unigramCrossEntropy(empty, empty), 0.0);
}

TEST(TokenFileTest, GoesOnFromACheckpointToTheSameBytes) {
  const TempFolder folder;
  std::vector<Ids> documents;
  for (int i = 0; i < 3000; ++i) documents.emplace_back(static_cast<std::size_t>(i % 17), 5 + i % 90);
  for (const bool join : {false, true}) {
    const auto whole = specAt(folder / "whole", 16, join);
    written(whole, documents);
    const auto parts = specAt(folder / "parts", 16, join);
    TokenWriterState state;
    for (std::size_t first = 0; first < documents.size(); first += 700) {
      auto writer = TokenFileWriter::open(parts, state).value();
      const std::size_t last = std::min(first + 700, documents.size());
      for (std::size_t i = first; i < last; ++i) ASSERT_TRUE(writer.add(documents[i], {1, 10, 2, 3}).ok());
      state = writer.checkpoint().value();
      for (std::size_t i = 0; i < 100; ++i)
        ASSERT_TRUE(writer.add(documents[i], {1, 1, 1, 1}).ok());  // lost in a crash
    }
    ASSERT_TRUE(TokenFileWriter::open(parts, state).value().finish().ok());
    EXPECT_EQ(readFile(whole.path).value(), readFile(parts.path).value());
    EXPECT_FALSE(fs::exists(parts.path.native() + ".part"));
    EXPECT_FALSE(fs::exists(parts.path.native() + ".offsets.part"));
  }
}

TEST(TokenFileTest, NoticesPartsThatAreShorterThanRecorded) {
  const TempFolder folder;
  const auto spec = specAt(folder / "a", 16, false);
  TokenWriterState state;
  {
    auto writer = TokenFileWriter::open(spec).value();
    ASSERT_TRUE(writer.add(Ids{5, 6, 7}, {}).ok());
    state = writer.checkpoint().value();
  }
  fs::resize_file(spec.path.native() + ".offsets.part", 0);
  EXPECT_EQ(TokenFileWriter::open(spec, state).error().code, ErrorCode::Corrupt);
}

TEST(TokenFileTest, NoticesEveryDamagedByte) {
  const TempFolder folder;
  const auto spec = specAt(folder / "a", 16, false);
  written(spec, {{10, 11, 12, 13}, {14, 15, 16}});
  const std::string good = readFile(spec.path).value();
  int noticed = 0;
  for (std::size_t at = 0; at < good.size(); at += at < 172 ? 1 : at >= 4090 ? 7 : 391) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    test::writeText(spec.path, bad);
    const auto opened = TokenDataset::open(spec.path, CacheCheck::Content);
    if (at < 172 || at >= 4096) {  // between them there are only zeros that nobody reads
      EXPECT_FALSE(opened.ok()) << at;
    }
    noticed += opened.ok() ? 0 : 1;
  }
  EXPECT_GT(noticed, 200);
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{4096}, good.size() - 1}) {
    test::writeText(spec.path, good.substr(0, size));
    const Error opened = test::refused(TokenDataset::open(spec.path));
    EXPECT_EQ(opened.code, ErrorCode::Corrupt);
    EXPECT_THAT(opened.message, HasSubstr("prepare the data again"));
  }
  std::string newer = good;
  newer[8] = 2;
  test::writeText(spec.path, newer);
  EXPECT_EQ(TokenDataset::open(spec.path).error().code, ErrorCode::Unsupported);
  EXPECT_EQ(TokenDataset::open(folder / "none").error().code, ErrorCode::NotFound);
}

TEST(TokenDatasetTest, ThreadsReadTogether) {
  const TempFolder folder;
  std::vector<Ids> documents;
  for (int i = 0; i < 2000; ++i) documents.emplace_back(10, 5 + i % 90);
  const TokenDataset data = written(specAt(folder / "a", 16, false), documents);
  const auto sum = [&] {
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < data.size(); ++i)
      for (const std::int32_t id : data.tokens(i)) total += id;
    return total;
  };
  const std::int64_t expected = sum();
  std::vector<std::int64_t> sums(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : sums) threads.emplace_back([&] { result = sum(); });
  }
  EXPECT_THAT(sums, testing::Each(expected));
}

TEST(UnigramTest, IsTheEntropyOfTheFrequencies) {
  const TokenDataset fair = test::datasetOf({{5, 6, 7, 8}, {8, 7, 6, 5}}, kSpecial, 10);
  EXPECT_NEAR(unigramCrossEntropy(fair, fair), std::log(4.0), 1e-12);
  const TokenDataset skewed = test::datasetOf({{5, 5, 5, 6}}, kSpecial, 10);
  EXPECT_NEAR(unigramCrossEntropy(skewed, skewed), -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)), 1e-12);
  // counts of `fair` raised by one: 3 for ids 5 to 8, 1 for the six others
  EXPECT_NEAR(unigramCrossEntropy(skewed, fair), -std::log(3.0 / 18.0), 1e-12);
  const TokenDataset unseen = test::datasetOf({{9}}, kSpecial, 10);
  EXPECT_NEAR(unigramCrossEntropy(unseen, fair), std::log(18.0), 1e-12);
}

}  // namespace
}  // namespace batchwise
