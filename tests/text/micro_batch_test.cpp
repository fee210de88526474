// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/text/masking.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

using testing::ElementsAre;

TokenDataset dataset() {
  std::vector<std::vector<std::int32_t>> sequences;
  for (int length : {3, 1, 10, 40}) {
    auto& sequence = sequences.emplace_back(static_cast<std::size_t>(length));
    std::iota(sequence.begin(), sequence.end(), 5 + length);
  }
  return TokenDataset::fromSequences(sequences, {0, 1, 2, 3, 4}, 100);
}

MaskSpec spec() {
  return {.probability = 0.15, .maskId = 4, .vocabularySize = 100, .specialIds = {0, 1, 2, 3, 4}};
}

TEST(MicroBatchTest, LaysSequencesBehindOneAnother) {
  const std::vector<std::int64_t> ids{2, 0, 1};
  const MicroBatch batch = buildMicroBatch(dataset(), ids, 10, {7, 1}, spec());
  EXPECT_THAT(batch.sequenceStarts, ElementsAre(0, 12, 17, 20));
  EXPECT_THAT(batch.indicesInStep, ElementsAre(10, 11, 12));
  EXPECT_THAT(batch.sampleIds, ElementsAre(2, 0, 1));
  EXPECT_EQ(batch.firstIndexInStep, 10);
  EXPECT_EQ(batch.longest, 12);
  EXPECT_EQ(batch.tokens(), 20);
  EXPECT_EQ(batch.paddedTokens(), 36);
  EXPECT_EQ(batch.predicted(), 2 + 1 + 1);
  for (const std::int32_t start : {0, 12, 17}) EXPECT_EQ(batch.tokenIds[static_cast<std::size_t>(start)], 2);
  for (const std::int32_t end : {11, 16, 19}) EXPECT_EQ(batch.tokenIds[static_cast<std::size_t>(end)], 3);
}

TEST(MicroBatchTest, LabelsAreTheTokensBeforeMasking) {
  const TokenDataset data = dataset();
  const std::vector<std::int64_t> ids{3, 2, 1, 0};
  const MicroBatch batch = buildMicroBatch(data, ids, 0, {7, 1}, spec());
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
  const MicroBatch wide = buildMicroBatch(data, together, 0, {7, 2}, spec());
  const MicroBatch narrow = buildMicroBatch(data, alone, 55, {7, 2}, spec());
  const auto from = wide.tokenIds.begin() + wide.sequenceStarts[1];
  EXPECT_EQ(std::vector<std::int32_t>(from, from + 42), narrow.tokenIds);
}

TEST(MicroBatchTest, NoSamplesMakeAnEmptyBatch) {
  const MicroBatch batch = buildMicroBatch(dataset(), {}, 0, {7, 2}, spec());
  EXPECT_THAT(batch.sequenceStarts, ElementsAre(0));
  EXPECT_EQ(batch.tokens() + batch.sequences() + batch.predicted() + batch.longest, 0);
}

TEST(MicroBatchTest, AttentionStaysInsideTheDocumentsOfASequence) {
  const TokenDataset data = TokenDataset::fromSequences({{7, 8, 3, 2, 9}, {5, 6}}, {0, 1, 2, 3, 4}, 100);
  const std::vector<std::int64_t> ids{0, 1};
  MaskSpec how = spec();
  EXPECT_TRUE(buildMicroBatch(data, ids, 0, {7, 1}, how).attentionStarts.empty());
  how.joined = JoinedDocuments{.cls = 2, .sep = 3};
  const MicroBatch apart = buildMicroBatch(data, ids, 0, {7, 1}, how);
  EXPECT_THAT(apart.sequenceStarts, ElementsAre(0, 7, 11));
  EXPECT_THAT(apart.attentionStarts, ElementsAre(0, 4, 7, 11));
  how.joined->attentionAcross = true;
  EXPECT_TRUE(buildMicroBatch(data, ids, 0, {7, 1}, how).attentionStarts.empty());
}

}  // namespace
}  // namespace batchwise
