// SPDX-License-Identifier: GPL-3.0-or-later
// The whole program killed at any time, often inside the writing of a checkpoint: `batchwise resume` then comes to the
// rows and the weights of a run that nobody killed. And several processes at work on one workspace.
#include <signal.h>

#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "core/text/demo_corpus.h"
#include "tests/app/command_fixture.h"
#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

// A checkpoint after every global batch, and a ramp, so that the first ones have parts.
constexpr const char* kConfig = R"(version: 1
name: small
seed: 3
model: {preset: tiny, hidden_size: 96, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 384,
        max_position_embeddings: 32, hidden_dropout_prob: 0.1}
tokenizer: {train: {vocab_size: 300}}
data: {train: [text.txt], max_seq_len: 32, holdout: 0.05}
max_duration: 20ba
batch: {global_train_batch_size: 16, device_train_microbatch_size: 8,
        rampup: {duration: 8ba, initial_global_train_batch_size: 4}}
scheduler: {name: linear_with_warmup, t_warmup: 3ba}
eval: {interval: 6ba}
checkpoint: {interval: 1ba, keep_last: 3}
devices: {use: cpu, threads: 1}
)";
constexpr std::int64_t kBatches = 20;

/// What a run amounts to: the rows that count, and the content of its newest checkpoint.
struct Outcome {
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> series;
  std::map<std::string, std::vector<std::byte>> tensors;
};

bool isMeasured(const std::string& series) {
  return series.find("sec") != std::string::npos || series.starts_with("memory.") || series == "wall";
}

void expectSame(const Outcome& expected, const Outcome& found) {
  ASSERT_EQ(expected.series.at("loss").size(), static_cast<std::size_t>(kBatches));
  EXPECT_EQ(expected.series, found.series);
  EXPECT_EQ(expected.tensors.size(), found.tensors.size());
  for (const auto& [name, bytes] : expected.tensors) EXPECT_TRUE(found.tensors.at(name) == bytes) << name;
}

class ResumeKillTest : public CommandTest {
 protected:
  ResumeKillTest() {
    DemoCorpusSpec spec;
    spec.paragraphs = 45;
    write("text.txt", demoCorpus(spec));
    config_ = write("run.yaml", kConfig);
  }

  std::vector<std::string> training(const std::string& name) const {
    return withWorkspace({"train", config_, "--name", name, "--json"});
  }
  std::vector<std::string> resuming(const std::string& name) const { return withWorkspace({"resume", name, "--json"}); }

  std::shared_ptr<Workspace> store() const {
    auto opened = Workspace::open(workspace());
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    return *opened;
  }

  Outcome outcomeOf(const std::string& name) const {
    const auto opened = store();
    const auto run = opened->findRun(name);
    EXPECT_TRUE(run.ok()) << run.error().text();
    EXPECT_EQ(run->summary.status, RunStatus::Finished);
    Outcome outcome;
    const auto series = opened->seriesNames(run->summary.id);
    for (const std::string& one : *series) {
      if (isMeasured(one)) continue;
      const auto points = opened->series(run->summary.id, one);
      for (const SeriesPoint& point : *points) outcome.series[one].emplace_back(point.batch, point.value);
    }
    const auto checkpoints = opened->checkpoints(run->summary.id);
    readTensors(opened->folder() / checkpoints->back().file, outcome);
    return outcome;
  }

  Result<void> remove(const std::string& name) const {
    const auto opened = store();
    return opened->deleteRun(opened->findRun(name)->summary.id);
  }

  /// Whether a checkpoint is being written, or was when its writer died.
  bool hasHalfCheckpoint() const {
    std::error_code failure;
    for (const auto& file : fs::directory_iterator(workspace() / "checkpoints", failure))
      if (file.path().native().find(".partial") != std::string::npos) return true;
    return false;
  }

  /// Kills runs at any time, every other one inside a checkpoint if `insideCheckpoints`, and resumes them: each comes
  /// to the outcome of the run "whole". Returns how many were killed inside a checkpoint.
  template <typename Training>
  int expectTheSameAfterKills(const Training& trainingOf, int kills, std::uint64_t seed, bool insideCheckpoints) {
    const Outcome expected = outcomeOf("whole");
    std::mt19937_64 random(seed);
    int inside = 0;
    for (int kill = 0; kill < kills;) {
      const std::string name = "killed" + std::to_string(kill);
      SCOPED_TRACE(name);
      RunningProgram program(folder_.path(), trainingOf(name));
      // From the first checkpoint on: before it there is nothing to go on from.
      if (!program.waitFor("\"event\":\"checkpoint_saved\"")) {
        ADD_FAILURE() << program.wait().err;
        break;
      }
      if (insideCheckpoints && kill % 2 == 0) {
        while (!hasHalfCheckpoint() && !program.hasEnded()) std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds{random() % 200});
      }
      program.signal(SIGKILL);
      if (program.wait().exitCode == 128 + SIGKILL) {  // else it was through already
        inside += hasHalfCheckpoint() ? 1 : 0;
        ++kill;
        const ProgramResult resumed = runProgram(folder_.path(), resuming(name));
        EXPECT_EQ(resumed.exitCode, 0) << resumed.err << resumed.out;
        // A kill after the last checkpoint leaves nothing to train: the run is then only closed.
        EXPECT_THAT(resumed.out, AnyOf(HasSubstr("bit for bit"), HasSubstr("had already reached its max_duration")));
        EXPECT_FALSE(hasHalfCheckpoint());
        expectSame(expected, outcomeOf(name));
      }
      EXPECT_TRUE(remove(name).ok());
      if (HasFailure()) break;
    }
    return inside;
  }

  const std::string& config() const { return config_; }

 private:
  static void readTensors(const fs::path& file, Outcome& outcome) {
    const auto reader = checked(CheckpointReader::open(file));
    for (const CheckpointEntry& entry : reader->entries()) {
      std::vector<std::byte>& bytes = outcome.tensors[entry.name];
      bytes.resize(static_cast<std::size_t>(entry.bytes));
      ASSERT_TRUE(reader->read(entry.name, bytes).ok());
    }
  }

  std::string config_;
};

TEST_F(ResumeKillTest, AResumeAfterAKillAtAnyTimeGivesWhatOneRunGives) {
  const ProgramResult whole = runProgram(folder_.path(), training("whole"));
  ASSERT_EQ(whole.exitCode, 0) << whole.err;
  const int kills = repeats(10, 100);
  const int insideACheckpoint = expectTheSameAfterKills([this](const std::string& name) { return training(name); },
                                                        kills, 7, /*insideCheckpoints=*/true);
  RecordProperty("inside_a_checkpoint", insideACheckpoint);
  EXPECT_GE(insideACheckpoint * 10, kills * 3) << "of " << kills << " kills";
  EXPECT_THAT(*store()->check(), IsEmpty());
}

// Lengths 16, 32 and 64, masks 30 and 15 %, other text, sizes and schedule at the end.
constexpr const char* kStages =
    "stages=[{until: 7ba, data.max_seq_len: 16, data.mlm_probability: 0.3}, {until: 13ba, data.mlm_probability: 0.3, "
    "batch: {global_train_batch_size: 8}}, {until: 1dur, data.max_seq_len: 64, data.train: [other.txt], "
    "optimizer.weight_decay: 0.1, scheduler: {name: one_minus_sqrt}}]";

TEST_F(ResumeKillTest, ARunOfThreeStagesIsTheSameAfterKillsAtAnyTime) {
  DemoCorpusSpec other;
  other.seed = 99;
  other.paragraphs = 40;
  write("other.txt", demoCorpus(other));
  const auto staged = [&](const std::string& name) {
    std::vector<std::string> arguments = training(name);
    for (const char* more : {"--set", kStages, "--set", "model.max_position_embeddings=64"})
      arguments.emplace_back(more);
    return arguments;
  };
  const ProgramResult whole = runProgram(folder_.path(), staged("whole"));
  ASSERT_EQ(whole.exitCode, 0) << whole.err << whole.out;
  EXPECT_THAT(whole.out, HasSubstr("stage 2 of 3 starts"));
  EXPECT_THAT(whole.out, HasSubstr("stage 3 of 3 starts"));
  expectTheSameAfterKills(staged, repeats(6, 30), 13, /*insideCheckpoints=*/false);
}

// Straight, killed and stopped: a guard takes all of them back to the same places.
TEST_F(ResumeKillTest, ARunThatRollsBackIsTheSameAfterKillsAndStops) {
  const std::vector<std::string> guarded = {
      "--set", "optimizer.lr=1e-7",        "--set", "guard.loss_spike={action: roll_back, sigma: 1, window: 4}",
      "--set", "guard.roll_back_limit=50", "--set", "checkpoint={interval: 3ba, keep_last: 1}"};
  const auto trainingSo = [&](const std::string& name) {
    std::vector<std::string> arguments = training(name);
    arguments.insert(arguments.end(), guarded.begin(), guarded.end());
    return arguments;
  };
  const ProgramResult whole = runProgram(folder_.path(), trainingSo("whole"));
  ASSERT_EQ(whole.exitCode, 0) << whole.err << whole.out;
  ASSERT_THAT(whole.out, HasSubstr("rolled back to checkpoint"));
  const Outcome expected = outcomeOf("whole");
  std::mt19937_64 random(11);
  for (int round = 0; round < repeats(6, 60); ++round) {
    const std::string name = "disturbed" + std::to_string(round);
    SCOPED_TRACE(name);
    std::vector<std::string> arguments = trainingSo(name);
    for (int disturbances = 0; disturbances < 4; ++disturbances) {
      RunningProgram program(folder_.path(), arguments);
      const bool kill = random() % 2 == 0;
      // Before the first checkpoint a kill leaves nothing to go on from.
      if (!program.waitFor(disturbances == 0 ? "\"event\":\"checkpoint_saved\"" : "\"event\":\"metrics\"")) break;
      std::this_thread::sleep_for(std::chrono::milliseconds{random() % 60});
      program.signal(kill ? SIGKILL : SIGTERM);
      const ProgramResult result = program.wait();
      arguments = resuming(name);
      if (result.exitCode == 0) break;
      // A signal that comes when the run has ended, before the program has, ends the program as any other.
      const bool ended = result.out.find("\"status\":\"finished\"") != std::string::npos;
      ASSERT_EQ(result.exitCode, kill ? 128 + SIGKILL : (ended ? 128 + SIGTERM : 3)) << result.err << result.out;
      if (ended) break;
    }
    if (store()->findRun(name)->summary.status != RunStatus::Finished) {
      const ProgramResult resumed = runProgram(folder_.path(), resuming(name));
      ASSERT_EQ(resumed.exitCode, 0) << resumed.err << resumed.out;
    }
    const Outcome found = outcomeOf(name);
    EXPECT_EQ(expected.series, found.series);
    EXPECT_TRUE(expected.tensors == found.tensors);
    ASSERT_TRUE(remove(name).ok());
  }
}

class QueueKillTest : public ResumeKillTest {
 protected:
  /// Puts it in, and kills `queue run` once it has said `said`.
  void killAt(const std::vector<std::string>& names, const std::string& said, const std::string& interval) {
    for (const std::string& name : names)
      ASSERT_EQ(run({"queue", "add", config(), "--set", "name=" + name, "--set", "max_duration=60ba", "--set",
                     "checkpoint.interval=" + interval})
                    .exitCode,
                0);
    RunningProgram program(folder_.path(), withWorkspace({"queue", "run", "--json"}));
    ASSERT_TRUE(program.waitFor(said)) << program.wait().err;
    program.signal(SIGKILL);
    ASSERT_EQ(program.wait().exitCode, 128 + SIGKILL);
  }
  std::vector<std::string> states() const {
    std::vector<std::string> states;
    const auto listed = run({"queue", "list", "--json"}).json();
    for (const auto& entry : listed.at("entries")) states.push_back(entry.at("status"));
    return states;
  }
};

TEST_F(QueueKillTest, TheQueueGoesOnWithWhatAKillInterrupted) {
  ASSERT_NO_FATAL_FAILURE(killAt({"a", "b"}, "\"event\":\"checkpoint_saved\"", "5ba"));
  EXPECT_EQ(states(), (std::vector<std::string>{"interrupted", "waiting"}));
  const ProgramResult again = run({"queue", "run", "--json"});
  EXPECT_EQ(again.exitCode, 0) << again.err << again.out;
  EXPECT_THAT(again.out, HasSubstr("bit for bit"));
  EXPECT_EQ(states(), (std::vector<std::string>{"finished", "finished"}));
  const auto runs = store()->listRuns();
  ASSERT_EQ(runs->size(), 2u);
  for (const RunSummary& each : *runs) EXPECT_EQ(each.status, RunStatus::Finished) << each.name;
}

TEST_F(QueueKillTest, WhatHadNoCheckpointBeginsAgainAsTheSameRun) {
  ASSERT_NO_FATAL_FAILURE(killAt({"a"}, "\"event\":\"metrics\"", "1000ba"));
  const ProgramResult again = run({"queue", "run", "--json"});
  EXPECT_EQ(again.exitCode, 0) << again.err << again.out;
  const auto runs = store()->listRuns();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().status, RunStatus::Finished);
  EXPECT_EQ(store()->series(runs->front().id, "loss")->size(), 60u);
  EXPECT_EQ(store()->findRun("a")->segments.size(), 2u);
}

TEST_F(QueueKillTest, AResumeByHandCountsInTheQueueAndWhatIsLeftIsNamed) {
  ASSERT_NO_FATAL_FAILURE(killAt({"a"}, "\"event\":\"checkpoint_saved\"", "5ba"));
  const fs::path checkpoints = workspace() / "checkpoints";
  fs::rename(checkpoints, workspace() / "away");
  const ProgramResult without = run({"queue", "run"});
  EXPECT_EQ(without.exitCode, 1);
  EXPECT_THAT(without.err, HasSubstr("left in the queue: run a, interrupted"));
  EXPECT_THAT(without.err, HasSubstr("has no good checkpoint")) << "why the queue does not resume it";
  EXPECT_EQ(states(), (std::vector<std::string>{"interrupted"}));
  fs::remove_all(checkpoints);
  fs::rename(workspace() / "away", checkpoints);
  ASSERT_EQ(run({"resume", "a"}).exitCode, 0);
  EXPECT_EQ(states(), (std::vector<std::string>{"finished"}));
  EXPECT_EQ(run({"queue", "list", "--json"}).json().at("held"), "");
  EXPECT_EQ(run({"queue", "run"}).exitCode, 0);
}

/// Another process's part of the work: a run with rows, tags and notes, and all that is there read again and again.
class Neighbor {
 public:
  explicit Neighbor(std::shared_ptr<Workspace> workspace) : workspace_(std::move(workspace)) {
    NewRun run;
    run.name = "neighbor";
    const auto id = workspace_->createRun(run);
    EXPECT_TRUE(id.ok()) << id.error().text();
    run_ = *id;
    auto writer = RunWriter::open(workspace_, run_, {});
    EXPECT_TRUE(writer.ok()) << writer.error().text();
    writer_ = std::move(*writer);
  }

  void work() {
    for (int row = 0; row < 20; ++row) {
      MetricsRow next;
      next.at.batch = next.at.step = ++rows_;
      next.loss = 1.0 / static_cast<double>(rows_);
      writer_->publish(next);
    }
    expectDone(writer_->flush());
    const auto runs = checked(workspace_->listRuns());
    for (const RunSummary& run : *runs) {
      const auto loss = checked(workspace_->series(run.id, "loss"));
      const auto detail = checked(workspace_->findRun(run.id));
      expectDone(workspace_->setTags(run.id, {"seen", std::to_string(rows_)}));
      expectDone(workspace_->setNote(run.id, "seen with " + std::to_string(loss->size()) + " rows"));
    }
  }

  void finish() {
    writer_->publish(RunFinished{RunStatus::Finished, "done", {}, ""});
    expectDone(writer_->flush());
    writer_.reset();
    EXPECT_EQ(workspace_->series(run_, "loss")->size(), static_cast<std::size_t>(rows_));
  }

 private:
  static void expectDone(const Result<void>& result) { ASSERT_TRUE(result.ok()) << result.error().text(); }

  const std::shared_ptr<Workspace> workspace_;
  std::string run_;
  std::unique_ptr<RunWriter> writer_;
  std::int64_t rows_ = 0;
};

TEST_F(ResumeKillTest, TrainingsAndAnotherProcessShareOneWorkspace) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(repeats(6, 60));
  Neighbor neighbor(store());
  int trainings = 0;
  do {
    // Two trainings at once, under a name that each has to make its own.
    RunningProgram first(folder_.path(), training("trained"));
    RunningProgram second(folder_.path(), training("trained"));
    while (!first.hasEnded() || !second.hasEnded()) ASSERT_NO_FATAL_FAILURE(neighbor.work());
    for (RunningProgram* program : {&first, &second}) {
      const ProgramResult result = program->wait();
      ASSERT_EQ(result.exitCode, 0) << result.err;
      EXPECT_THAT(result.out, testing::Not(HasSubstr("waiting for the store")));
      ++trainings;
    }
  } while (std::chrono::steady_clock::now() < end);
  ASSERT_NO_FATAL_FAILURE(neighbor.finish());
  const auto opened = store();
  const auto runs = opened->listRuns();
  ASSERT_EQ(runs->size(), static_cast<std::size_t>(trainings) + 1);
  for (const RunSummary& run : *runs) {
    EXPECT_EQ(run.status, RunStatus::Finished) << run.name;
    if (run.name == "neighbor") continue;
    EXPECT_EQ(opened->series(run.id, "loss")->size(), static_cast<std::size_t>(kBatches));
    EXPECT_EQ(opened->checkpoints(run.id)->back().at.batch, kBatches);
  }
  EXPECT_THAT(*opened->check(), IsEmpty());
}

}  // namespace
}  // namespace batchwise::test
