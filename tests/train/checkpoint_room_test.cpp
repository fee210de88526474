// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints that stay on a small device beside the steps: the limit on host tensors plays the device's memory.
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "core/train/checkpoint_every.h"
#include "core/train/device_memory.h"
#include "core/train/train_loop.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/support/token_dataset.h"

namespace batchwise {
namespace {

constexpr std::int64_t kUnlimited = std::int64_t{1} << 50;

class Gate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

/// Copies that take memory of the "device" until the gate is open.
class SlowSnapshot final : public Snapshot {
 public:
  SlowSnapshot(const std::vector<NamedTensor>& tensors, Gate& gate) : gate_(gate) {
    for (const NamedTensor& named : tensors) copies_.push_back({named.name, named.tensor.detach().clone()});
  }
  std::int64_t bytes() const override {
    std::int64_t bytes = 0;
    for (const NamedTensor& named : copies_) bytes += static_cast<std::int64_t>(named.tensor.nbytes());
    return bytes;
  }
  std::vector<NamedTensor> toHost(const std::vector<NamedTensor>& spare) override {
    gate_.wait();
    const ChargeAllocationsTo ofNoDevice(kHostCopyDevice);
    std::vector<NamedTensor> host = copyToHost(copies_, spare);
    copies_.clear();
    return host;
  }

 private:
  std::vector<NamedTensor> copies_;
  Gate& gate_;
};

/// Writes the losses down, and opens the gate after a step, when the device is to be cleared, or at the end.
class Watcher final : public Callback {
 public:
  Watcher(Gate& gate, CheckpointSaver& saver, std::int64_t opensAfter)
      : gate_(gate), saver_(saver), opensAfter_(opensAfter) {}
  Result<void> afterStep(TrainLoop&, const StepResult& step) override {
    losses.push_back(step.loss());
    if (step.after.step == opensAfter_) {
      gate_.open();
      EXPECT_TRUE(saver_.waitForDevice(std::chrono::minutes(1)));
    }
    return {};
  }
  bool freeDeviceMemory(TrainLoop&) override {
    gate_.open();
    return false;
  }
  Result<void> atEnd(TrainLoop&) override {
    gate_.open();
    return {};
  }

  std::vector<double> losses;

 private:
  Gate& gate_;
  CheckpointSaver& saver_;
  const std::int64_t opensAfter_;
};

class Notes final : public EventSink {
 public:
  void publish(const RunEvent& event) override {
    if (const auto* note = std::get_if<RunNote>(&event)) all += note->text + "\n";
    if (std::holds_alternative<CheckpointSaved>(event)) ++checkpoints;
  }
  std::string all;
  int checkpoints = 0;
};

/// Twelve steps of four equal sequences, so that all need the same memory, with a checkpoint after every third.
class CheckpointRoomTest : public testing::Test {
 protected:
  struct Asked {
    std::int64_t limitBytes = 0;   // of the "device"; 0: none
    std::int64_t usableBytes = 0;  // that a checkpoint is told
    std::int64_t gateOpensAfter = 0;
  };
  struct Outcome {
    Result<LoopEnd> end;
    std::vector<double> losses;
    std::string notes;
    int checkpoints = 0;
    int onDevice = 0;
    std::int64_t microbatch = 0;
    std::int64_t peakBytes = 0;
    std::int64_t stateBytes = 0;
  };

  void SetUp() override {
    useCountingHostAllocator();
    at::set_num_threads(1);
    std::filesystem::create_directory(folder_ / "checkpoints");
    train({});  // what LibTorch keeps for itself is there now
  }
  void TearDown() override { setHostTensorLimit(0); }

  static TrainingData data() {
    std::vector<std::vector<std::int32_t>> sequences;
    for (std::int32_t i = 0; i < 60; ++i) sequences.emplace_back(std::size_t{30}, 5 + i % 50);
    TrainingData made{test::datasetOf(sequences, {0, 1, 2, 3, 4}, test::kSmallVocabulary), {}, 9, 0};
    made.masks.maskId = 4;
    made.masks.vocabularySize = test::kSmallVocabulary;
    made.masks.specialIds = {0, 1, 2, 3, 4};
    return made;
  }
  static Plan plan() {
    TrainConfig config;
    config.maxDuration = Time::of(12, TimeUnit::Batch);
    config.batch.globalTrainBatchSize = 4;
    config.scheduler.name = "constant";
    const auto lengths = std::make_shared<ListedLengths>(std::vector<std::uint32_t>(60, 32));
    return *test::checked(Plan::resolve(config, lengths, {1, 4, 0}));
  }

  Outcome train(const Asked& asked) {
    auto model = EncoderModel::create(test::smallShape(), Precision::Fp32, at::kCPU, 5);
    AdamW optimizer(model->parameters(), AdamWOptions());
    Replica replica{std::move(*model), std::move(optimizer)};
    const Plan planned = plan();
    LoopState state;
    state.growth = planned.initialGrowth();
    state.microbatchUnits = 4;
    const SystemClock clock;
    SingleCommunicator alone;
    Notes notes;
    Gate gate;
    Outcome outcome{Error::internal("not run"), {}, {}, 0, 0, 0, 0, 0};
    CheckpointSaver saver(
        {[](const CheckpointRecord&) -> Result<void> { return {}; }, []() -> Result<void> { return {}; }}, clock);
    const DeviceCopies copies{[&](const std::vector<NamedTensor>& tensors) -> std::unique_ptr<Snapshot> {
                                ++outcome.onDevice;
                                auto made = std::make_unique<SlowSnapshot>(tensors, gate);
                                outcome.stateBytes = made->bytes();
                                return made;
                              },
                              [&](c10::Device) { return asked.usableBytes; }};
    const auto interval = IntervalSet::resolve({Time::of(3, TimeUnit::Batch)}, planned.runLength(), AtEnd::Fire, "");
    std::vector<std::unique_ptr<Callback>> callbacks;
    auto watching = std::make_unique<Watcher>(gate, saver, asked.gateOpensAfter);
    Watcher& watcher = *watching;
    callbacks.push_back(std::move(watching));
    callbacks.push_back(std::make_unique<CheckpointEvery>(
        *interval, &saver, CheckpointOrigin{"run", 0, folder_.path(), {}, false}, copies));
    resetHostTensorPeak();
    setHostTensorLimit(asked.limitBytes);
    TrainLoop loop(planned, data(), state, {replica, alone, notes, nullptr, clock, std::move(callbacks)});
    outcome.end = loop.run();
    setHostTensorLimit(0);
    outcome.peakBytes = hostTensorBytes().peak;
    outcome.losses = watcher.losses;
    outcome.notes = notes.all;
    outcome.checkpoints = notes.checkpoints;
    outcome.microbatch = loop.state().microbatchUnits;
    return outcome;
  }

  test::TempFolder folder_;
};

TEST_F(CheckpointRoomTest, ASecondCheckpointFindsTheRoomThatTheFirstOneHad) {
  const Outcome alone = train({});
  ASSERT_TRUE(alone.end.ok()) << alone.end.error().text();
  EXPECT_EQ(alone.onDevice, 0) << "a device without any room";
  const Outcome roomy = train({.usableBytes = kUnlimited, .gateOpensAfter = 5});
  ASSERT_TRUE(roomy.end.ok()) << roomy.end.error().text();
  EXPECT_EQ(roomy.onDevice, 4);
  EXPECT_EQ(roomy.checkpoints, 4);
  const std::int64_t copy = roomy.stateBytes;
  EXPECT_GE(roomy.peakBytes, alone.peakBytes + copy) << "no step was beside a copy";
  // Room for the steps and one copy: enough for each of the copies, as none is there together with another.
  const Outcome just = train({.usableBytes = alone.peakBytes + copy, .gateOpensAfter = 5});
  ASSERT_TRUE(just.end.ok()) << just.end.error().text();
  EXPECT_GE(just.onDevice, 2);
  EXPECT_EQ(just.checkpoints, 4);
  const Outcome tooLittle = train({.usableBytes = alone.peakBytes + copy - 1, .gateOpensAfter = 5});
  EXPECT_EQ(tooLittle.onDevice, 0);
  EXPECT_EQ(tooLittle.checkpoints, 4);
}

TEST_F(CheckpointRoomTest, ACopyThatIsStillThereTakesTheRoomOfTheNext) {
  const Outcome alone = train({});
  const std::int64_t copy = train({.usableBytes = kUnlimited, .gateOpensAfter = 5}).stateBytes;
  const Outcome just = train({.usableBytes = alone.peakBytes + copy, .gateOpensAfter = 8});
  ASSERT_TRUE(just.end.ok()) << just.end.error().text();
  EXPECT_EQ(just.checkpoints, 4);
  EXPECT_LE(just.onDevice, 3) << "the second was taken beside the first";
}

TEST_F(CheckpointRoomTest, AStepThatDoesNotFitBesideACheckpointIsDoneAgainAsItIs) {
  const Outcome alone = train({});
  const std::int64_t copy = train({.usableBytes = kUnlimited, .gateOpensAfter = 5}).stateBytes;
  const Outcome tight = train({.limitBytes = alone.peakBytes + copy / 2, .usableBytes = kUnlimited});
  ASSERT_TRUE(tight.end.ok()) << tight.end.error().text();
  EXPECT_EQ(tight.end->status, RunStatus::Finished);
  EXPECT_THAT(tight.notes, testing::HasSubstr("the step is repeated"));
  EXPECT_THAT(tight.notes, testing::Not(testing::HasSubstr("the micro-batch goes")));
  EXPECT_EQ(tight.microbatch, 4);
  EXPECT_EQ(tight.losses, alone.losses);
  EXPECT_EQ(tight.checkpoints, 4);
}

TEST_F(CheckpointRoomTest, AStepThatDoesNotFitByItselfIsHalvedThen) {
  const Outcome alone = train({});
  const Outcome small = train({.limitBytes = alone.peakBytes - 1, .usableBytes = kUnlimited});
  ASSERT_TRUE(small.end.ok()) << small.end.error().text();
  EXPECT_THAT(small.notes, testing::HasSubstr("the micro-batch goes from 4 to 2"));
  EXPECT_EQ(small.microbatch, 2);
}

TEST(StepsPeakTest, IsWhatStepsNeededWithoutTheCopiesBesideThem) {
  StepPeakMemory peak;
  peak.sample(100, 0);
  EXPECT_EQ(peak.bytes(), 100);
  peak.skip(130, 30);  // a copy is taken
  peak.sample(130, 30);
  EXPECT_EQ(peak.bytes(), 100);
  peak.sample(135, 30);
  EXPECT_EQ(peak.bytes(), 105);
  peak.sample(138, 0);  // the copy went meanwhile
  EXPECT_EQ(peak.bytes(), 108);
  peak.sample(150, 0);
  EXPECT_EQ(peak.bytes(), 150);
  peak.sample(150, 40);
  EXPECT_EQ(peak.bytes(), 150);
  EXPECT_EQ(peak.beside(), 40);
  peak.skip(900, 0);  // what failed
  peak.sample(900, 0);
  EXPECT_EQ(peak.bytes(), 150);
}

}  // namespace
}  // namespace batchwise
