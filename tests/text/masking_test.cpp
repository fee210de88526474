// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/masking.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <semaphore>
#include <stdexcept>

#include "core/base/bounded_queue.h"
#include "tests/support/token_dataset.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

using testing::ElementsAre;
using Next = Result<std::optional<int>>;

constexpr std::int32_t kCls = 100, kSep = 102, kMask = 103;
const std::vector<std::int32_t> kSpecial{0, 5, kCls, kSep, kMask};

MaskSpec spec(double probability = 0.15) {
  return {.probability = probability, .maskId = kMask, .vocabularySize = 200, .specialIds = kSpecial};
}

/// [CLS], then `length` - 2 times the id 150, then [SEP].
std::vector<std::int32_t> sequenceOf(std::size_t length) {
  std::vector<std::int32_t> sequence(length, 150);
  sequence.front() = kCls;
  sequence.back() = kSep;
  return sequence;
}

struct Masked {
  std::vector<std::int32_t> shown, positions, labels;
  bool operator==(const Masked&) const = default;
};

Masked mask(std::size_t length, std::int64_t sample, MaskingKey key, const MaskSpec& how) {
  Masked masked{sequenceOf(length), {}, {}};
  maskSequence(masked.shown, sample, key, how, masked.positions, masked.labels);
  return masked;
}

TEST(PredictedTokensTest, RoundsAndKeepsAtLeastOne) {
  struct Case {
    std::int64_t length;
    double probability;
    std::int64_t predicted;
  };
  for (const Case& c :
       {Case{3, 0.15, 1}, Case{8, 0.15, 1}, Case{11, 0.15, 1}, Case{12, 0.15, 2}, Case{128, 0.15, 19},
        Case{512, 0.15, 77}, Case{22, 0.15, 3}, Case{12, 0.25, 3}, Case{128, 1.0, 126}, Case{3, 1e-9, 1}})
    EXPECT_EQ(predictedTokens(c.length, c.probability), c.predicted) << c.length << " x " << c.probability;
}

TEST(MaskingTest, MasksExactlyTheNumberThatTheLengthSays) {
  for (std::size_t length = 3; length < 300; ++length)
    for (const double p : {0.01, 0.15, 0.4, 1.0}) {
      const Masked masked = mask(length, static_cast<std::int64_t>(length) * 7, {17, 3}, spec(p));
      const auto expected = predictedTokens(static_cast<std::int64_t>(length), p);
      ASSERT_EQ(std::ssize(masked.positions), expected);
      ASSERT_EQ(std::ssize(masked.labels), expected);
      for (std::size_t i = 0; i < masked.positions.size(); ++i) {
        ASSERT_GE(masked.positions[i], 1);
        ASSERT_LE(masked.positions[i], static_cast<std::int32_t>(length) - 2);
        if (i > 0) {
          ASSERT_LT(masked.positions[i - 1], masked.positions[i]);
        }
        ASSERT_EQ(masked.labels[i], 150);
      }
      ASSERT_EQ(masked.shown.front(), kCls);
      ASSERT_EQ(masked.shown.back(), kSep);
    }
}

TEST(MaskingTest, DependsOnSeedEpochAndSampleOnly) {
  const Masked first = mask(128, 42, {17, 3}, spec());
  EXPECT_EQ(mask(128, 42, {17, 3}, spec()), first);
  EXPECT_NE(mask(128, 43, {17, 3}, spec()).positions, first.positions);
  EXPECT_NE(mask(128, 42, {18, 3}, spec()).positions, first.positions);
  EXPECT_NE(mask(128, 42, {17, 4}, spec()).positions, first.positions);
}

TEST(MaskingTest, StaysAsItIs) {  // a change here changes every run that is resumed
  EXPECT_THAT(mask(22, 7, {17, 0}, spec()).positions, testing::ElementsAre(5, 12, 20));
}

TEST(MaskingTest, ShowsMaskRandomAndUnchangedInTheirShares) {
  std::map<std::int32_t, std::int64_t> shown;
  std::vector<std::int64_t> picked(128);
  constexpr std::int64_t kSamples = 20'000;
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    const Masked masked = mask(128, sample, {1, 0}, spec());
    for (const std::int32_t position : masked.positions) {
      ++shown[masked.shown[static_cast<std::size_t>(position)]];
      ++picked[static_cast<std::size_t>(position)];
    }
  }
  const double total = 19.0 * kSamples;
  const double sigma = std::sqrt(total * 0.1 * 0.9);
  const double perId = total * 0.1 / 195;  // 200 ids, 5 of them special
  EXPECT_NEAR(static_cast<double>(shown[kMask]), total * 0.8, 5 * sigma * 2);
  EXPECT_NEAR(static_cast<double>(shown[150]), total * 0.1 + perId, 5 * sigma);
  EXPECT_EQ(shown.size(), 195u + 1u);
  for (const auto& [id, count] : shown) {
    if (id == kMask || id == 150) continue;
    EXPECT_FALSE(std::binary_search(kSpecial.begin(), kSpecial.end(), id)) << id;
    EXPECT_NEAR(static_cast<double>(count), perId, 6 * std::sqrt(perId)) << id;
  }
  const double perPlace = total / 126;
  for (std::size_t place = 1; place < 127; ++place)
    EXPECT_NEAR(static_cast<double>(picked[place]), perPlace, 6 * std::sqrt(perPlace)) << place;
}

TEST(MaskingTest, TakesPairsOfPlacesIndependently) {
  constexpr int kSamples = 60'000;
  std::map<std::pair<int, int>, int> pairs;
  for (int sample = 0; sample < kSamples; ++sample) {
    const Masked masked = mask(8, sample, {9, 1}, spec(0.34));
    ASSERT_EQ(masked.positions.size(), 2u);
    ++pairs[{masked.positions[0], masked.positions[1]}];
  }
  EXPECT_EQ(pairs.size(), 15u);
  for (const auto& [pair, count] : pairs) EXPECT_NEAR(count, kSamples / 15, 6 * std::sqrt(kSamples / 15)) << pair.first;
}

Vocabulary vocabularyOf(std::vector<std::string> words) {
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  tokens.insert(tokens.end(), words.begin(), words.end());
  return Vocabulary::fromTokens(tokens).value();
}

/// Returns the tokens that continue a word.
std::vector<std::string> continuing(const Vocabulary& vocabulary) {
  const WordTable table = WordTable::of(vocabulary);
  std::vector<std::string> found;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id)
    if (table.continues(id)) found.push_back(vocabulary.token(id));
  return found;
}

TEST(WordTableTest, EachKindOfVocabularyHasItsMarks) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(continuing(vocabularyOf({"play", "##ing", "##", "#", "##s", ","})), ElementsAre("##ing", "##s"));
  EXPECT_THAT(continuing(vocabularyOf({"\u0120play", "ing", "\u0120", ",", "\u010a", "9", "\u00c3\u00a9", "\u0120,"})),
              ElementsAre("ing", "9", "\u00c3\u00a9"));
  EXPECT_THAT(continuing(vocabularyOf({"\u2581play", "ing", "\u2581", "<0xC3>", "\u00e9", "."})),
              ElementsAre("ing", "<0xC3>", "\u00e9"));
  EXPECT_THAT(continuing(vocabularyOf({"play", "ing", "s"})), IsEmpty());
}

/// Ids below 10 start a word, others continue one.
MaskSpec wordSpec(double probability) {
  std::vector<std::string> words;
  for (int id = 5; id < 10; ++id) words.push_back("w" + std::to_string(id));
  for (int id = 10; id < 20; ++id) words.push_back("##p" + std::to_string(id));
  const Vocabulary vocabulary = vocabularyOf(words);
  MaskSpec spec = MaskSpec::of(vocabulary, probability);
  spec.words = std::make_shared<const WordTable>(WordTable::of(vocabulary));
  return spec;
}

/// A sequence of words with the given numbers of tokens.
std::vector<std::int32_t> wordsOfLengths(const std::vector<int>& lengths) {
  std::vector<std::int32_t> ids = {2};
  for (const int length : lengths) {
    ids.push_back(5 + static_cast<std::int32_t>(ids.size() % 5));
    for (int i = 1; i < length; ++i) ids.push_back(10 + static_cast<std::int32_t>(ids.size() % 10));
  }
  ids.push_back(3);
  return ids;
}

TEST(WholeWordMaskingTest, WordsAreMaskedAsAWholeAndAsManyTokensAsAsked) {
  const std::vector<int> lengths = {1, 3, 1, 2, 5, 1, 1, 4, 2, 1, 1, 2, 1, 3, 1, 1};  // 30 tokens
  std::vector<std::int64_t> picked(lengths.size());
  std::int64_t tooFew = 0;
  for (const double probability : {0.1, 0.15, 0.3, 0.5}) {
    const MaskSpec how = wordSpec(probability);
    for (std::int64_t sample = 0; sample < 2000; ++sample) {
      const std::vector<std::int32_t> plain = wordsOfLengths(lengths);
      std::vector<std::int32_t> shown = plain, positions, labels;
      maskSequence(shown, sample, {3, 1}, how, positions, labels);
      const std::int64_t missing = predictedTokens(32, probability) - std::ssize(positions);
      ASSERT_GE(missing, 0);
      tooFew += missing > 0 ? 1 : 0;
      ASSERT_EQ(std::ssize(positions), predictedTokens(plain, sample, {3, 1}, how));
      std::size_t word = 0;
      for (std::size_t place = 1; place + 1 < plain.size(); place += static_cast<std::size_t>(lengths[word++])) {
        const auto inWord = std::ranges::count_if(positions, [&](std::int32_t position) {
          return position >= static_cast<std::int32_t>(place) &&
                 position < static_cast<std::int32_t>(place) + lengths[word];
        });
        ASSERT_TRUE(inWord == 0 || inWord == lengths[word]) << "half of a word";
        if (inWord > 0) {
          ++picked[word];
        } else {
          ASSERT_GT(lengths[word], missing) << "a word that fits was left out";
        }
      }
      for (std::size_t i = 0; i < positions.size(); ++i)
        ASSERT_EQ(labels[i], plain[static_cast<std::size_t>(positions[i])]);
      ASSERT_TRUE(std::ranges::is_sorted(positions));
    }
  }
  EXPECT_LT(tooFew, 80) << "1 %";
  for (std::size_t word = 0; word < lengths.size(); ++word) EXPECT_GT(picked[word], 500) << word;
}

TEST(WholeWordMaskingTest, AWordLongerThanTheShareIsTakenWholeIfAllAre) {
  const MaskSpec how = wordSpec(0.1);  // one token
  const std::vector<std::int32_t> plain = wordsOfLengths({5, 3, 4});
  for (std::int64_t sample = 0; sample < 50; ++sample) {
    std::vector<std::int32_t> shown = plain, positions, labels;
    maskSequence(shown, sample, {3, 1}, how, positions, labels);
    EXPECT_THAT(positions, testing::ElementsAre(6, 7, 8));
    EXPECT_EQ(predictedTokens(plain, sample, {3, 1}, how), 3);
  }
}

TEST(WholeWordMaskingTest, DependsOnSeedEpochAndSampleOnly) {
  const MaskSpec how = wordSpec(0.15);
  const auto masked = [&](std::int64_t sample, MaskingKey key) {
    std::vector<std::int32_t> shown = wordsOfLengths(std::vector<int>(40, 2)), positions, labels;
    maskSequence(shown, sample, key, how, positions, labels);
    return positions;
  };
  EXPECT_EQ(masked(4, {1, 2}), masked(4, {1, 2}));
  EXPECT_NE(masked(5, {1, 2}), masked(4, {1, 2}));
  EXPECT_NE(masked(4, {2, 2}), masked(4, {1, 2}));
  EXPECT_NE(masked(4, {1, 3}), masked(4, {1, 2}));
}

TEST(MaskingTest, SeparatorsOfJoinedDocumentsAreNeverPredicted) {
  for (const bool words : {false, true}) {
    MaskSpec how = words ? wordSpec(0.4) : spec(0.4);
    const std::int32_t cls = words ? 2 : kCls, sep = words ? 3 : kSep;
    how.joined = JoinedDocuments{cls, sep};
    std::vector<std::int32_t> plain = {cls, 7, 12, 8, sep, cls, 9, sep, cls, 6, 13, 14, 7, 8, sep};
    for (std::int64_t sample = 0; sample < 500; ++sample) {
      std::vector<std::int32_t> shown = plain, positions, labels;
      maskSequence(shown, sample, {17, 0}, how, positions, labels);
      ASSERT_EQ(std::ssize(positions), predictedTokens(plain, sample, {17, 0}, how));
      ASSERT_EQ(positions.size(), 4U) << "0.4 of the 9 tokens of text";
      for (const std::int32_t label : labels) ASSERT_TRUE(label != sep && label != cls);
    }
  }
}

TokenDataset dataset() {
  std::vector<std::vector<std::int32_t>> sequences;
  for (int length : {3, 1, 10, 40}) {
    auto& sequence = sequences.emplace_back(static_cast<std::size_t>(length));
    std::iota(sequence.begin(), sequence.end(), 5 + length);
  }
  return test::datasetOf(sequences, {0, 1, 2, 3, 4}, 100);
}

MaskSpec smallSpec() {
  return {.probability = 0.15, .maskId = 4, .vocabularySize = 100, .specialIds = {0, 1, 2, 3, 4}};
}

TEST(MicroBatchTest, LaysSequencesBehindOneAnother) {
  const std::vector<std::int64_t> ids{2, 0, 1};
  const MicroBatch batch = buildMicroBatch(dataset(), ids, 10, {7, 1}, smallSpec());
  EXPECT_THAT(batch.sequenceStarts, ElementsAre(0, 12, 17, 20));
  EXPECT_THAT(batch.indicesInStep, ElementsAre(10, 11, 12));
  EXPECT_THAT(batch.sampleIds, ElementsAre(2, 0, 1));
  EXPECT_EQ(batch.firstIndexInStep, 10);
  EXPECT_EQ(batch.longest, 12);
  EXPECT_EQ(batch.tokens(), 20);
  EXPECT_EQ(batch.predicted(), 2 + 1 + 1);
  for (const std::int32_t start : {0, 12, 17}) EXPECT_EQ(batch.tokenIds[static_cast<std::size_t>(start)], 2);
  for (const std::int32_t end : {11, 16, 19}) EXPECT_EQ(batch.tokenIds[static_cast<std::size_t>(end)], 3);
}

TEST(MicroBatchTest, LabelsAreTheTokensBeforeMasking) {
  const TokenDataset data = dataset();
  const std::vector<std::int64_t> ids{3, 2, 1, 0};
  const MicroBatch batch = buildMicroBatch(data, ids, 0, {7, 1}, smallSpec());
  std::vector<std::int32_t> plain;
  for (const std::int64_t id : ids) data.appendTokens(id, plain);
  std::vector<std::int32_t> restored = batch.tokenIds;
  for (std::size_t i = 0; i < batch.labels.size(); ++i)
    restored[static_cast<std::size_t>(batch.predictedPositions[i])] = batch.labels[i];
  EXPECT_NE(batch.tokenIds, plain);
  EXPECT_EQ(restored, plain);
}

TEST(MicroBatchTest, ASampleIsMaskedTheSameInAnyBatch) {
  const TokenDataset data = dataset();
  const std::vector<std::int64_t> together{0, 3, 2};
  const std::vector<std::int64_t> alone{3};
  const MicroBatch wide = buildMicroBatch(data, together, 0, {7, 2}, smallSpec());
  const MicroBatch narrow = buildMicroBatch(data, alone, 55, {7, 2}, smallSpec());
  const auto from = wide.tokenIds.begin() + wide.sequenceStarts[1];
  EXPECT_EQ(std::vector<std::int32_t>(from, from + 42), narrow.tokenIds);
}

TEST(MicroBatchTest, NoSamplesMakeAnEmptyBatch) {
  const MicroBatch batch = buildMicroBatch(dataset(), {}, 0, {7, 2}, smallSpec());
  EXPECT_THAT(batch.sequenceStarts, ElementsAre(0));
  EXPECT_EQ(batch.tokens() + batch.sequences() + batch.predicted() + batch.longest, 0);
}

TEST(MicroBatchTest, AttentionStaysInsideTheDocumentsOfASequence) {
  const TokenDataset data = test::datasetOf({{7, 8, 3, 2, 9}, {5, 6}}, {0, 1, 2, 3, 4}, 100);
  const std::vector<std::int64_t> ids{0, 1};
  MaskSpec how = smallSpec();
  EXPECT_TRUE(buildMicroBatch(data, ids, 0, {7, 1}, how).attentionStarts.empty());
  how.joined = JoinedDocuments{.cls = 2, .sep = 3};
  const MicroBatch apart = buildMicroBatch(data, ids, 0, {7, 1}, how);
  EXPECT_THAT(apart.sequenceStarts, ElementsAre(0, 7, 11));
  EXPECT_THAT(apart.attentionStarts, ElementsAre(0, 4, 7, 11));
  how.joined->attentionAcross = true;
  EXPECT_TRUE(buildMicroBatch(data, ids, 0, {7, 1}, how).attentionStarts.empty());
}

TEST(PrefetcherTest, GivesAllValuesInOrderAndThenTheEnd) {
  int made = 0;
  Prefetcher<int> prefetcher([&](std::stop_token) -> Next { return made < 100 ? std::optional(made++) : std::nullopt; },
                             3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(prefetcher.next().value(), i);
  EXPECT_EQ(prefetcher.next().value(), std::nullopt);
  EXPECT_EQ(prefetcher.next().value(), std::nullopt);
}

TEST(PrefetcherTest, GivesTheErrorAfterTheValuesBeforeIt) {
  int made = 0;
  Prefetcher<int> prefetcher(
      [&](std::stop_token) -> Next {
        if (made == 2) return Error::corrupt("bad page");
        return std::optional(made++);
      },
      8);
  EXPECT_EQ(prefetcher.next().value(), 0);
  EXPECT_EQ(prefetcher.next().value(), 1);
  EXPECT_EQ(prefetcher.next().error().message, "bad page");
  EXPECT_EQ(prefetcher.next().error().code, ErrorCode::Corrupt);
}

TEST(PrefetcherTest, TurnsExceptionsIntoErrors) {
  Prefetcher<int> prefetcher([](std::stop_token) -> Next { throw std::runtime_error("boom"); }, 1);
  const Next next = prefetcher.next();
  EXPECT_EQ(next.error().code, ErrorCode::Internal);
  EXPECT_THAT(next.error().message, testing::HasSubstr("boom"));
}

TEST(PrefetcherTest, MakesNoMoreThanItsDepthAhead) {
  std::atomic<int> made{0};
  std::counting_semaphore<64> started{0};
  Prefetcher<int> prefetcher(
      [&](std::stop_token) -> Next {
        started.release();
        return std::optional(made++);
      },
      4);
  for (int i = 0; i < 5; ++i) started.acquire();  // 4 wait in the queue, 1 is at its door
  EXPECT_FALSE(started.try_acquire_for(std::chrono::milliseconds(50)));
  EXPECT_EQ(prefetcher.next().value(), 0);
  started.acquire();  // the room is used
  EXPECT_LE(made.load(), 6);
}

TEST(PrefetcherTest, EndsWhileItsThreadWaitsForRoom) {
  std::binary_semaphore twice{0};
  int made = 0;
  Prefetcher<int> prefetcher(
      [&](std::stop_token) -> Next {
        if (made == 1) twice.release();
        return std::optional(made++);
      },
      1);
  twice.acquire();  // the second value finds no room
}

TEST(PrefetcherTest, AStopEndsTheWaiting) {
  std::stop_source stop;
  Prefetcher<int> prefetcher(
      [](std::stop_token own) -> Next {
        std::binary_semaphore never{0};
        const std::stop_callback wake(own, [&] { never.release(); });
        never.acquire();
        return std::optional<int>{};
      },
      1);
  stop.request_stop();
  EXPECT_EQ(prefetcher.next(stop.get_token()).error().code, ErrorCode::Stopped);
}

}  // namespace
}  // namespace batchwise
