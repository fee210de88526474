// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint_state.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <atomic>
#include <limits>

#include "core/base/file.h"
#include "core/checkpoint/checkpoint_saver.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

CheckpointState someState() {
  CheckpointState state;
  state.tensors = {{"model/a", torch::arange(12, torch::kFloat32).view({3, 4}) / 7},
                   {"model/empty", torch::empty({0, 5})},
                   {"optimizer/step", torch::full({}, 41.0f)},
                   {"half", torch::ones({7}, torch::kBFloat16) / 3},
                   {"whole", torch::arange(5, torch::kLong)}};
  state.facts = {{"config", "a: 1\n"}, {"state", "{}"}};
  return state;
}

TEST(CheckpointStateTest, ComesBackFromTheFileWithTheSameBits) {
  const test::TempFolder folder;
  const CheckpointState state = someState();
  ASSERT_TRUE(writeCheckpoint(folder / "one.sqlite", state).ok());
  const Result<CheckpointState> read = readCheckpoint(folder / "one.sqlite");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->facts, state.facts);
  ASSERT_EQ(read->tensors.size(), state.tensors.size());
  for (std::size_t i = 0; i < state.tensors.size(); ++i) {
    EXPECT_EQ(read->tensors[i].name, state.tensors[i].name);
    EXPECT_EQ(read->tensors[i].tensor.scalar_type(), state.tensors[i].tensor.scalar_type());
    EXPECT_TRUE(torch::equal(read->tensors[i].tensor, state.tensors[i].tensor)) << state.tensors[i].name;
  }
  const std::vector<NamedTensor> model = tensorsUnder(*read, "model/");
  ASSERT_EQ(model.size(), 2u);
  EXPECT_EQ(model.front().name, "a");
}

TEST(CheckpointStateTest, ACopyDoesNotFollowTheOriginalAndUsesSpareMemory) {
  const torch::Tensor original = torch::ones({4}).requires_grad_();
  const std::vector<NamedTensor> copy = copyToHost({{"a", original}});
  {
    const torch::NoGradGuard noGrad;
    original.fill_(2);
  }
  EXPECT_TRUE(torch::equal(copy.front().tensor, torch::ones({4})));
  EXPECT_FALSE(copy.front().tensor.requires_grad());
  const void* memory = copy.front().tensor.data_ptr();
  const std::vector<NamedTensor> again = copyToHost({{"a", original}}, copy);
  EXPECT_EQ(again.front().tensor.data_ptr(), memory);
  EXPECT_TRUE(torch::equal(again.front().tensor, torch::full({4}, 2.0f)));
  const std::vector<NamedTensor> larger = copyToHost({{"a", torch::ones({5})}}, copy);
  EXPECT_EQ(larger.front().tensor.numel(), 5);
}

TEST(CheckpointStateTest, SeesEveryKindOfNumberThatIsNotFinite) {
  EXPECT_TRUE(allFinite(someState().tensors));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    CheckpointState state = someState();
    state.tensors.front().tensor[2][3] = bad;
    EXPECT_FALSE(allFinite(state.tensors));
  }
}

TEST(CheckpointStateTest, LooksForThemInEveryTypeToTheLastNumber) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    SCOPED_TRACE(toString(type));
    const torch::Tensor numbers = torch::full({1025}, -60'000.0).to(type);
    EXPECT_TRUE(allFinite({{"a", numbers}}));
    numbers[1024] = -std::numeric_limits<float>::infinity();
    EXPECT_FALSE(allFinite({{"a", numbers}}));
    numbers[1024] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(allFinite({{"a", numbers}}));
  }
  EXPECT_TRUE(allFinite({{"whole", torch::full({9}, -1, torch::kLong)}}));
}

SaveRequest requestFor(const test::TempFolder& folder, const std::string& id) {
  SaveRequest request;
  request.record.id = id;
  request.path = folder / (id + ".sqlite");
  request.state = someState();
  return request;
}

TEST(CheckpointSaverTest, CommitsAfterTheFileIsCompleteAndTellsTheOutcome) {
  const test::TempFolder folder;
  const SystemClock clock;
  std::atomic<int> committed = 0;
  std::atomic<int> retained = 0;
  CheckpointSaver saver({[&](const CheckpointRecord& record) -> Result<void> {
                           EXPECT_TRUE(std::filesystem::exists(folder / (record.id + ".sqlite")));
                           EXPECT_TRUE(record.verified && record.finite);
                           ++committed;
                           return {};
                         },
                         [&]() -> Result<void> {
                           ++retained;
                           return Error::internal("an old one stays");
                         }},
                        clock);
  for (const char* id : {"a", "b", "c"}) saver.save(requestFor(folder, id));
  ASSERT_TRUE(saver.finish(std::chrono::minutes(1)));
  const std::vector<SaveOutcome> outcomes = saver.takeOutcomes();
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].record.id, "a");
  EXPECT_GT(outcomes[2].record.bytes, 0);
  EXPECT_FALSE(outcomes[2].error);
  EXPECT_TRUE(outcomes[2].retentionError);
  EXPECT_EQ(committed, 3);
  EXPECT_EQ(retained, 3);
  EXPECT_TRUE(saver.takeOutcomes().empty());
  EXPECT_EQ(saver.takeSpare().size(), someState().tensors.size());
}

TEST(CheckpointSaverTest, AFailureIsAnOutcomeAndTheNextOneStillWorks) {
  const test::TempFolder folder;
  const SystemClock clock;
  CheckpointSaver saver({[](const CheckpointRecord& record) -> Result<void> {
                           if (record.id == "b") return Error{ErrorCode::DiskFull, "no space for the row", {}};
                           return {};
                         },
                         []() -> Result<void> { return {}; }},
                        clock);
  SaveRequest nowhere = requestFor(folder, "a");
  ASSERT_TRUE(writeFileAtomically(folder / "file", "no folder").ok());
  nowhere.path = folder / "file" / "a.sqlite";
  saver.save(std::move(nowhere));
  saver.save(requestFor(folder, "b"));
  saver.save(requestFor(folder, "c"));
  ASSERT_TRUE(saver.finish(std::chrono::minutes(1)));
  const std::vector<SaveOutcome> outcomes = saver.takeOutcomes();
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_TRUE(outcomes[0].error);
  ASSERT_TRUE(outcomes[1].error);
  EXPECT_EQ(outcomes[1].error->code, ErrorCode::DiskFull);
  EXPECT_FALSE(outcomes[2].error);
}

}  // namespace
}  // namespace batchwise
