// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint/checkpoint_state.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>

#include "core/base/file.h"
#include "core/train/checkpoint/checkpoint_saver.h"
#include "tests/support/checked.h"
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
  const auto read = test::checked(readCheckpoint(folder / "one.sqlite"));
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
  EXPECT_EQ(saver.takeReusableTensors().size(), someState().tensors.size());
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

/// Fills its buffers at once, but lets nobody read one before wait() or fill one that is not read yet.
class HostStages final : public StagingBuffers {
 public:
  std::int64_t count() const override { return 2; }
  std::int64_t bytes() const override { return 64; }
  void begin(std::int64_t stage, const at::Tensor& source) override {
    EXPECT_LE(source.numel(), bytes());
    EXPECT_FALSE(filled_.at(static_cast<std::size_t>(stage))) << "nobody has read it yet";
    filled_[static_cast<std::size_t>(stage)] = true;
    buffers_[static_cast<std::size_t>(stage)] = source.clone();
    mostFilled_ = std::max(mostFilled_, std::count(filled_.begin(), filled_.end(), true));
  }
  const void* wait(std::int64_t stage) override {
    EXPECT_TRUE(filled_.at(static_cast<std::size_t>(stage)));
    filled_[static_cast<std::size_t>(stage)] = false;
    return buffers_[static_cast<std::size_t>(stage)].const_data_ptr();
  }
  std::ptrdiff_t mostFilled() const { return mostFilled_; }

 private:
  std::array<at::Tensor, 2> buffers_;
  std::array<bool, 2> filled_{};
  std::ptrdiff_t mostFilled_ = 0;
};

TEST(StagedCopyTest, BringsEveryByteWhateverTheSizesWhileAnotherStageFills) {
  std::vector<NamedTensor> tensors = someState().tensors;
  for (const std::int64_t numbers : {1, 15, 16, 17, 32, 1000})
    tensors.push_back({std::to_string(numbers), torch::arange(numbers, torch::kFloat32) / 3});
  const std::vector<NamedTensor> copies = hostTensorsLike(tensors, {});
  HostStages stages;
  copyStaged(stages, tensors, copies);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    EXPECT_TRUE(torch::equal(copies[i].tensor, tensors[i].tensor)) << tensors[i].name;
  EXPECT_EQ(stages.mostFilled(), 2);
}

/// Tells in `log` what becomes of it.
class LoggedSnapshot final : public Snapshot {
 public:
  LoggedSnapshot(std::vector<NamedTensor> tensors, std::vector<std::string>& log)
      : tensors_(std::move(tensors)), log_(log) {}
  ~LoggedSnapshot() override { log_.push_back("given back"); }
  std::int64_t bytes() const override { return 100; }
  std::vector<NamedTensor> toHost(const std::vector<NamedTensor>& spare) override {
    log_.push_back(spare.empty() ? "to new memory" : "to spare memory");
    TORCH_CHECK(!tensors_.empty(), "the device is gone");
    return tensors_;
  }

 private:
  const std::vector<NamedTensor> tensors_;
  std::vector<std::string>& log_;
};

TEST(SnapshotTest, IsTakenWhereItFitsAndOtherwiseCopyingRemains) {
  const std::vector<NamedTensor> tensors = {{"a", torch::ones({16})}};
  int made = 0;
  const MakeSnapshot make = [&](const std::vector<NamedTensor>& all) -> std::unique_ptr<Snapshot> {
    static std::vector<std::string> log;
    ++made;
    return std::make_unique<LoggedSnapshot>(all, log);
  };
  EXPECT_EQ(takeSnapshot(tensors, 63, make), nullptr);
  EXPECT_EQ(made, 0) << "tried although there is no room";
  EXPECT_NE(takeSnapshot(tensors, 64, make), nullptr);
  EXPECT_EQ(made, 1);
  const MakeSnapshot full = [](const std::vector<NamedTensor>&) -> std::unique_ptr<Snapshot> {
    TORCH_CHECK_WITH(OutOfMemoryError, false, "no memory after all");
  };
  EXPECT_EQ(takeSnapshot(tensors, 64, full), nullptr);
}

TEST(CheckpointSaverTest, EmptiesTheDeviceBeforeItWrites) {
  const test::TempFolder folder;
  const SystemClock clock;
  std::vector<std::string> log;  // of the saver's thread
  CheckpointSaver saver({[&](const CheckpointRecord& record) -> Result<void> {
                           log.push_back("written " + record.id);
                           return {};
                         },
                         []() -> Result<void> { return {}; }},
                        clock);
  for (const char* id : {"a", "b", "c"}) {
    SaveRequest request = requestFor(folder, id);
    std::vector<NamedTensor> tensors = std::exchange(request.state.tensors, {});
    if (request.record.id == "b") tensors.clear();
    request.onDevice = std::make_unique<LoggedSnapshot>(std::move(tensors), log);
    saver.save(std::move(request));
  }
  ASSERT_TRUE(saver.finish(std::chrono::minutes(1)));
  EXPECT_EQ(saver.deviceBytes(), 0);
  EXPECT_EQ(log, (std::vector<std::string>{"to new memory", "given back", "written a", "to spare memory", "given back",
                                           "to new memory", "given back", "written c"}));
  const std::vector<SaveOutcome> outcomes = saver.takeOutcomes();
  ASSERT_EQ(outcomes.size(), 3u);
  ASSERT_TRUE(outcomes[1].error);
  EXPECT_EQ(outcomes[1].error->code, ErrorCode::Device);
  EXPECT_EQ(outcomes[1].error->message, "the device is gone") << "no places in LibTorch's code";
  const auto read = test::checked(readCheckpoint(folder / "c.sqlite"));
  EXPECT_TRUE(torch::equal(read->tensors.front().tensor, someState().tensors.front().tensor));
}

/// Stays on its device until it is let go.
class HeldSnapshot final : public Snapshot {
 public:
  HeldSnapshot(std::vector<NamedTensor> tensors, std::future<void> letGo)
      : tensors_(std::move(tensors)), letGo_(std::move(letGo)) {}
  std::int64_t bytes() const override { return 100; }
  std::vector<NamedTensor> toHost(const std::vector<NamedTensor>&) override {
    letGo_.wait();
    return tensors_;
  }

 private:
  const std::vector<NamedTensor> tensors_;
  std::future<void> letGo_;
};

TEST(CheckpointSaverTest, KnowsWhatIsOnTheDeviceAndWaitsUntilNothingIs) {
  const test::TempFolder folder;
  const SystemClock clock;
  CheckpointSaver saver(
      {[](const CheckpointRecord&) -> Result<void> { return {}; }, []() -> Result<void> { return {}; }}, clock);
  EXPECT_TRUE(saver.waitForDevice(std::chrono::milliseconds(0)));
  std::array<std::promise<void>, 2> letGo;
  for (std::size_t i = 0; i < letGo.size(); ++i) {
    SaveRequest request = requestFor(folder, std::to_string(i));
    request.onDevice = std::make_unique<HeldSnapshot>(std::exchange(request.state.tensors, {}), letGo[i].get_future());
    saver.save(std::move(request));
  }
  EXPECT_EQ(saver.deviceBytes(), 200);
  EXPECT_FALSE(saver.waitForDevice(std::chrono::milliseconds(1)));
  letGo[1].set_value();
  EXPECT_FALSE(saver.waitForDevice(std::chrono::milliseconds(1))) << "it comes after the first";
  letGo[0].set_value();
  EXPECT_TRUE(saver.waitForDevice(std::chrono::minutes(1)));
  EXPECT_EQ(saver.deviceBytes(), 0);
}

}  // namespace
}  // namespace batchwise
