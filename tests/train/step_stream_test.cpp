// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/step_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "tests/support/checked.h"
#include "tests/support/token_dataset.h"

namespace batchwise {
namespace {

constexpr std::int64_t kSamples = 53;

TrainingData data() {
  std::vector<std::vector<std::int32_t>> sequences;
  for (std::int32_t i = 0; i < kSamples; ++i) sequences.emplace_back(static_cast<std::size_t>(3 + i % 11), 10 + i);
  TrainingData made{test::datasetOf(sequences, {0, 1, 2, 3, 4}, 100), {}, 9, 0};
  made.masks.maskId = 4;
  made.masks.vocabularySize = 100;
  made.masks.specialIds = {0, 1, 2, 3, 4};
  return made;
}

std::shared_ptr<const Lengths> lengthsOf(const TrainingData& data) {
  std::vector<std::uint32_t> lengths;
  for (std::int64_t i = 0; i < data.samples.size(); ++i) lengths.push_back(data.samples.length(i));
  return std::make_shared<ListedLengths>(lengths);
}

Plan plan(std::int64_t devices, std::int64_t microbatch, std::int64_t rampFrom = 0) {
  TrainConfig config;
  config.maxDuration = Time::of(2, TimeUnit::Epoch);
  config.batch.globalTrainBatchSize = 16;
  config.scheduler.name = "constant";
  if (rampFrom > 0) {
    config.batch.rampup.duration = Time::of(3, TimeUnit::Batch);
    config.batch.rampup.initialGlobalTrainBatchSize = rampFrom;
  }
  return *test::checked(Plan::resolve(config, lengthsOf(data()), {devices, microbatch, 0}));
}

// Of each step: place in the step -> sample with its masked tokens.
using Step = std::map<std::int64_t, std::pair<std::int64_t, std::vector<std::int32_t>>>;

void addTo(Step& step, const MicroBatch& batch) {
  for (std::size_t i = 0; i < batch.sampleIds.size(); ++i) {
    const auto begin = batch.tokenIds.begin() + batch.sequenceStarts[i];
    const auto end = batch.tokenIds.begin() + batch.sequenceStarts[i + 1];
    const bool added =
        step.try_emplace(batch.indicesInStep[i], batch.sampleIds[i], std::vector<std::int32_t>(begin, end)).second;
    EXPECT_TRUE(added) << "two samples at one place of a step";
  }
}

std::vector<Step> stepsOf(const Plan& plan, const Timestamp& from = {}, std::int64_t passesPerPack = 1) {
  std::vector<Step> steps;
  for (std::int64_t device = 0; device < plan.devices(); ++device) {
    StepStream stream(plan, data(), device, from, plan.initialGrowth(), passesPerPack);
    std::size_t step = 0;
    for (;;) {
      auto next = test::checked(stream.next());
      if (!next.ok() || !*next) break;
      if (steps.size() <= step) steps.emplace_back();
      addTo(steps[step], (*next)->batch);
      if ((*next)->index + 1 == (*next)->step->microBatches) ++step;
    }
    EXPECT_EQ(step, steps.size());
  }
  return steps;
}

TEST(StepStreamTest, DevicesAndMicroBatchesSeeTheSameSamplesAndMasksInEveryStep) {
  const std::vector<Step> expected = stepsOf(plan(1, 16));
  EXPECT_EQ(expected.size(), 8u);
  for (const std::int64_t devices : {1, 2, 3, 4})
    for (const std::int64_t microbatch : {1, 2, 5, 16}) EXPECT_EQ(stepsOf(plan(devices, microbatch)), expected);
}

Plan packedPlan(std::int64_t devices) {
  TrainConfig config;
  config.maxDuration = Time::of(2, TimeUnit::Epoch);
  config.batch.globalTrainBatchSize = 3;
  config.batch.tokens.maxTokens = 60;
  config.scheduler.name = "constant";
  return *test::checked(Plan::resolve(config, lengthsOf(data()), {devices, 1, 0}));
}

TEST(StepStreamTest, APackThatIsCutHasTheSameSamplesAndMasksInEveryStep) {
  const std::vector<Step> expected = stepsOf(packedPlan(1));
  ASSERT_GT(expected.size(), 2u);
  for (const std::int64_t devices : {1, 2, 4})
    for (const std::int64_t passes : {1, 2, 4, 64}) EXPECT_EQ(stepsOf(packedPlan(devices), {}, passes), expected);
}

TEST(StepStreamTest, APackIsCutIntoPassesOfAboutTheSameTokensDownToOneSequence) {
  const Plan packed = packedPlan(1);
  for (const std::int64_t passes : {2, 4, 64}) {
    StepStream stream(packed, data(), 0, {}, {}, passes);
    std::int64_t mostSequences = 0;
    for (;;) {
      const auto next = test::checked(stream.next());
      if (!*next) break;
      const MicroBatch& batch = (*next)->batch;
      EXPECT_GT(batch.sequences(), 0);
      EXPECT_LE(batch.tokens(), 60 / passes + batch.longest) << passes;
      EXPECT_LE(batch.sequences(), (*next)->step->mostSequences);
      mostSequences = std::max(mostSequences, batch.sequences());
    }
    EXPECT_EQ(mostSequences == 1, passes == 64);
  }
}

TEST(StepStreamTest, EverySampleComesOncePerEpoch) {
  const std::vector<Step> steps = stepsOf(plan(2, 3, 2));
  std::multiset<std::int64_t> seen;
  for (const Step& step : steps)
    for (const auto& [place, sample] : step) seen.insert(sample.first);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(2 * kSamples));
  for (std::int64_t sample = 0; sample < kSamples; ++sample) EXPECT_EQ(seen.count(sample), 2u) << sample;
}

TEST(StepStreamTest, ALaterStartGivesTheRest) {
  const Plan ramped = plan(1, 3, 2);
  const std::vector<Step> all = stepsOf(ramped);
  StepStream stream(ramped, data(), 0, {}, ramped.initialGrowth());
  Timestamp now;
  for (std::size_t done = 0; done < all.size(); ++done) {
    const std::vector<Step> rest = stepsOf(ramped, now);
    ASSERT_EQ(rest, std::vector<Step>(all.begin() + static_cast<std::ptrdiff_t>(done), all.end())) << "after " << done;
    std::shared_ptr<const PlannedStep> step;
    do {
      const auto next = stream.next();
      ASSERT_TRUE(next.ok() && *next);
      step = (*next)->step;
      if ((*next)->index + 1 == step->microBatches) break;
    } while (true);
    const OptimizerStep& counts = step->counts();
    now = now.afterStep({counts.samples, counts.tokens, 0.0}, counts.units);
    if (!step->endsBatch()) continue;
    now = now.afterBatch();
    if (step->batch->endsEpoch) now = now.afterEpoch();
  }
  EXPECT_TRUE(ramped.finished(now));
}

TEST(StepStreamTest, CountsPredictedAndPaddedTokensBeforeTheFirstPass) {
  const Plan whole = plan(2, 3);
  StepStream first(whole, data(), 0, {}, {});
  StepStream second(whole, data(), 1, {}, {});
  std::int64_t predicted = 0;
  std::int64_t padded = 0;
  std::shared_ptr<const PlannedStep> step;
  for (StepStream* stream : {&first, &second}) {
    for (;;) {
      const auto next = stream->next();
      ASSERT_TRUE(next.ok() && *next);
      step = (*next)->step;
      predicted += (*next)->batch.predicted();
      padded += (*next)->batch.sequences() * (*next)->batch.longest;
      if ((*next)->index + 1 == step->microBatches) break;
    }
  }
  EXPECT_EQ(step->predicted, predicted);
  EXPECT_EQ(step->computedTokens, padded);
}

/// Pieces of words (ids 40 and more), documents joined by a separator, and a share that falls from 0.5 to 0.1.
TrainingData joinedWords() {
  std::vector<std::vector<std::int32_t>> sequences;
  for (std::int32_t i = 0; i < kSamples; ++i) {
    auto& sequence = sequences.emplace_back();
    for (std::int32_t place = 0; place < 6 + i % 7; ++place) sequence.push_back(10 + (i * 7 + place * 13) % 90);
    sequence.insert(sequence.begin() + 3, {3, 2});
  }
  TrainingData made{test::datasetOf(sequences, {0, 1, 2, 3, 4}, 100), {}, 9, 0};
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (int id = 5; id < 100; ++id) tokens.push_back((id < 40 ? "w" : "##w") + std::to_string(id));
  const Vocabulary vocabulary = Vocabulary::fromTokens(tokens).value();
  made.masks = MaskSpec::of(vocabulary, 0.5);
  made.masks.words = std::make_shared<const WordTable>(WordTable::of(vocabulary));
  made.masks.joined = JoinedDocuments{.cls = 2, .sep = 3};
  return made;
}

TEST(StepStreamTest, CountsPredictedTokensOfWholeWordsAtAChangingShareBeforeTheFirstPass) {
  TrainConfig config;
  config.maxDuration = Time::of(5, TimeUnit::Batch);
  config.batch.globalTrainBatchSize = 16;
  config.scheduler.name = "constant";
  config.data.mlmProbability = 0.5;
  config.data.mlmProbabilityEnd = 0.1;
  const TrainingData data = joinedWords();
  const auto falling = test::checked(Plan::resolve(config, lengthsOf(data), {2, 3, 0}));
  std::map<std::int64_t, std::int64_t> found, planned;
  for (const std::int64_t device : {0, 1}) {
    StepStream stream(*falling, data, device, {}, {});
    for (;;) {
      const auto next = test::checked(stream.next());
      if (!*next) break;
      const PlannedStep& step = *(*next)->step;
      const MicroBatch& batch = (*next)->batch;
      found[step.batch->batch] += batch.predicted();
      planned[step.batch->batch] = step.predicted;
      EXPECT_EQ(batch.attentionStarts.size(), static_cast<std::size_t>(2 * batch.sequences() + 1));
    }
  }
  EXPECT_EQ(found, planned);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_GT(found[0], 2 * found[4]);
}

}  // namespace
}  // namespace batchwise
