// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>

#include "core/run/controllers/command_channel.h"
#include "core/store/workspace.h"
#include "tests/app/command_fixture.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Trains the demo, shortened, with LibTorch.
class TrainCommandTest : public CommandTest {
 protected:
  std::vector<std::string> training(const std::string& duration, const Words& more = {}) const {
    return withWorkspace(words("train demo --set devices=cpu --json --set max_duration=" + duration, more));
  }
  std::vector<std::string> smallSteps(const std::string& duration) const {
    return training(duration, {"--set", "batch={global_train_batch_size: 4, device_train_microbatch_size: 4}", "--set",
                               "eval.interval=1000ba"});
  }
};

TEST_F(TrainCommandTest, DoctorWritesWhatADeviceHoldsAndHowFastItTrains) {
  const std::string report = (folder_ / "report.json").string();
  const ProgramResult shown = run({"doctor", "--gpu", "--device", "cpu", "--report", report});
  EXPECT_EQ(shown.exitCode, 0) << shown.out << shown.err;
  EXPECT_THAT(shown.out, testing::AllOf(HasSubstr("largest micro-batch: "), HasSubstr("TFLOP/s"), HasSubstr(report)));
  std::ifstream file(report);
  const json found = json::parse(file, nullptr, false);
  ASSERT_TRUE(found.is_object()) << shown.out;
  EXPECT_EQ(found.at("schema"), "batchwise.gpu_report/1");
  EXPECT_TRUE(found.at("problems").empty()) << found.at("problems");
  const json& probes = found.at("memory").at("probes");
  ASSERT_FALSE(probes.empty());
  for (const json& probe : probes) EXPECT_GT(probe.at("peak"), 0);
  EXPECT_NEAR(probes.back().at("forecast").get<double>() / probes.back().at("peak").get<double>(), 1.0, 0.25);
  EXPECT_GT(found.at("speed").at("flops"), 0);
  EXPECT_GT(found.at("speed").at("loss_last"), 0);
  EXPECT_EQ(found.at("speed").at("of"), "BERT-tiny");
  EXPECT_THAT(shown.out, HasSubstr("tries the way to this report"));
  EXPECT_THAT(shown.out, testing::Not(HasSubstr("estimate"))) << "that is of another model";
  EXPECT_TRUE(found.at("operations").empty()) << "the operations of a processor are those of the tests";
  EXPECT_TRUE(run({"runs", "list", "--json"}).json().at("runs").empty()) << "the run was in a workspace of its own";
  const ProgramResult again = run({"doctor", "--gpu", "--device", "cpu", "--report", report, "--force", "--json"});
  EXPECT_EQ(again.json().at("schema"), "batchwise.gpu_report/1") << again.err;
  const std::string other = write("other.json", "somebody's");
  EXPECT_EQ(run({"doctor", "--gpu", "--device", "cpu", "--report", other}).exitCode, 2);
}

TEST_F(TrainCommandTest, DoctorSaysPlainlyThatThereIsNoGpu) {
  const ProgramResult shown = run({"doctor", "--gpu", "--device", "cuda:99"});
  EXPECT_EQ(shown.exitCode, 1);
  EXPECT_THAT(shown.err, testing::AllOf(HasSubstr("device 'cuda:99'"), HasSubstr("driver")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "batchwise-gpu-report.json"));
  EXPECT_EQ(run({"doctor", "--device", "cuda:0"}).exitCode, 2) << "means nothing without --gpu";
  EXPECT_EQ(run({"doctor", "--force"}).exitCode, 2);
  for (const char* none : {"foo", "c", "cpu:4", "cpu:", "cuda:", "cuda:0,1"}) {
    const ProgramResult unknown = run({"doctor", "--gpu", "--device", none});
    EXPECT_EQ(unknown.exitCode, 2) << none;
    EXPECT_THAT(unknown.err, testing::AllOf(HasSubstr(std::string("'") + none + "'"), HasSubstr("cpu:0"),
                                            testing::Not(HasSubstr("driver"))));
  }
}

TEST_F(TrainCommandTest, AStoppedDoctorLeavesNothing) {
  const auto temporary = folder_ / "temporary";
  std::filesystem::create_directory(temporary);
  RunningProgram program(folder_.path(), withWorkspace({"doctor", "--gpu", "--device", "cpu"}),
                         {"env", "TMPDIR=" + temporary.string(), "XDG_CACHE_HOME=" + (folder_ / "cache").string()});
  while (std::filesystem::is_empty(temporary) && !program.hasEnded()) usleep(5'000);
  program.signal(SIGINT);
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exitCode, 1);
  EXPECT_THAT(stopped.err, HasSubstr("the check was stopped"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "batchwise-gpu-report.json"));
}

TEST_F(TrainCommandTest, TrainsToTheEndAndTellsIt) {
  const ProgramResult result = runProgram(folder_.path(), training("6ba", {"--name", "short one"}));
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const std::vector<json> events = result.jsonLines();
  std::vector<std::int64_t> batches;
  bool started = false;
  for (const json& event : events) {
    ASSERT_TRUE(event.is_object()) << result.out;
    started = started || event.at("event") == "run_started";
    if (event.at("event") == "metrics") batches.push_back(event.at("ba"));
  }
  EXPECT_TRUE(started);
  EXPECT_EQ(batches, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(events.back().at("event"), "run_finished");
  EXPECT_EQ(events.back().at("status"), "finished");
  const json listed = run({"runs", "list", "--json"}).json().at("runs").at(0);
  EXPECT_EQ(listed.at("name"), "short one");
  EXPECT_EQ(listed.at("status"), "finished");
  EXPECT_EQ(run({"metrics", "latest", "--series", "loss", "--json"}).json().at("series").at("loss").size(), 6U);
  EXPECT_EQ(run({"checkpoints", "verify", "latest"}).exitCode, 0);
  const ProgramResult csv = run({"export", "latest", "--csv", "-"});
  EXPECT_EQ(csv.exitCode, 0) << csv.err;
  EXPECT_EQ(csv.out, run({"metrics", "latest", "--csv"}).out);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "-"));
  EXPECT_EQ(run({"export", "latest", "--csv", "-", "--json"}).exitCode, 2);
  EXPECT_EQ(run({"export", "latest", "--archive", "-"}).exitCode, 2);
  const auto onOneDevice = [this](const std::string& change) {
    return run({"plan-scale", "demo", "--gpus", "1", "--json", "--set", change}).json();
  };
  EXPECT_EQ(onOneDevice("seed=1").at("points").at(0).at("from"), "measured");
  EXPECT_LT(onOneDevice("seed=1").at("tokens_per_step"), 64 * 32);
  const json similar = onOneDevice("tokenizer.train.vocab_size=520");
  EXPECT_EQ(similar.at("points").at(0).at("from"), "derived");
  EXPECT_THAT(similar.at("one_device").get<std::string>(), HasSubstr("derived from a similar model"));
  EXPECT_EQ(similar.at("tokens_per_step"), 64 * 32) << "not the length of that run's samples";
  const ProgramResult filled = run({"fill-mask", "latest", "the [MASK] sleeps", "--top", "3", "--json"});
  EXPECT_EQ(filled.json().at("masks").at(0).size(), 3U) << filled.err;
  EXPECT_EQ(filled.json().at("mask_token"), "[MASK]");
  EXPECT_EQ(run({"fill-mask", "latest", "no mask here"}).exitCode, 2);
  EXPECT_EQ(run({"export", "latest", "--hf", (folder_ / "hf").string()}).exitCode, 0);
  for (const char* file : {"config.json", "model.safetensors", "vocab.txt"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "hf" / file)) << file;
  EXPECT_EQ(run({"export", "latest", "--hf", (folder_ / "hf").string()}).exitCode, 0) << "its own may be replaced";
  const std::string foreign = std::filesystem::path(write("config.json", "{}")).parent_path().string();
  const ProgramResult refused = run({"export", "latest", "--hf", foreign});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.err, HasSubstr("config.json' exists and was not written by such an export"));
  EXPECT_EQ(run({"export", "latest", "--hf", foreign, "--force"}).exitCode, 0);

  const std::string text =
      write("eval.txt", "the old dog sleeps in the garden\n\na cat runs\n\nthe bird sings in a tree\n");
  const auto evaluated = [&](const std::string& model, const Words& more = {}) {
    return run(words("eval " + model + " --format text --json --data " + text, more));
  };
  const json own = evaluated("latest", {"--draws", "3"}).json();
  EXPECT_EQ(own.at("documents"), 3);
  EXPECT_EQ(own.at("task"), "eval.txt");
  EXPECT_EQ(own.at("notes"), json::array());
  EXPECT_GT(own.at("draw_error"), 0.0);
  EXPECT_GT(own.at("bits_per_byte"), 0.0);
  EXPECT_TRUE(own.at("pseudo_perplexity").is_null());
  const json folder = evaluated((folder_ / "hf").string(), {"--draws", "3", "--max-seq-len", "32"}).json();
  EXPECT_TRUE(folder.at("run").is_null());
  EXPECT_NEAR(folder.at("loss").get<double>(), own.at("loss").get<double>(), 1e-6);
  EXPECT_EQ(folder.at("task_hash"), own.at("task_hash"));
  EXPECT_EQ(evaluated(own.at("checkpoint"), {"--limit", "1"}).json().at("documents"), 1);
  const ProgramResult tooLong = evaluated("latest", {"--max-seq-len", "60000"});
  EXPECT_EQ(tooLong.exitCode, 2);
  EXPECT_THAT(tooLong.err, HasSubstr("takes sequences of at most"));
  EXPECT_EQ(run({"eval", "latest", "--data", (folder_ / "nosuch.txt").string()}).exitCode, 2);
}

TEST_F(TrainCommandTest, APreviewComparesTheEvaluationTextWithThatOfItsBaseline) {
  const Words small = words("--set max_duration=2ba --set devices.use=cpu");
  ASSERT_EQ(run(words("train demo --name base", small)).exitCode, 0);
  const ProgramResult same = run(words("preview demo --baseline base --set optimizer.lr=1e-4", small));
  EXPECT_THAT(same.out + same.err, testing::Not(HasSubstr("measured like")));
  const ProgramResult other = run(words("preview demo --baseline base --set data.demo_seed=5", small));
  EXPECT_THAT(other.out + other.err, HasSubstr("measured like those of the baseline base"));
}

TEST_F(TrainCommandTest, AReaderThatDoesNotReadHoldsNothingUpAndGetsEverything) {
  const std::string mayRead = (folder_ / "may-read").string();
  RunningProgram program(folder_.path(), smallSteps("200ba"),  // tells more than a pipe holds
                         {"sh", "-c", "\"$0\" \"$@\" | (until [ -e '" + mayRead + "' ]; do sleep 0.1; done; cat)"});
  const auto hasFinished = [this] {
    const auto workspace = Workspace::open(folder_ / "workspace");
    const auto found = workspace.ok() ? (*workspace)->findRun("latest") : workspace.error();
    return found.ok() && found->summary.status == RunStatus::Finished;
  };
  for (int looks = 0; looks < 1000 && !hasFinished(); ++looks) usleep(100'000);
  EXPECT_TRUE(hasFinished());
  EXPECT_EQ(program.outSoFar(), "");
  std::ofstream(mayRead) << "";
  const ProgramResult result = program.wait();
  std::vector<std::int64_t> batches;
  for (const json& event : result.jsonLines())
    if (event.at("event") == "metrics") batches.push_back(event.at("ba"));
  std::vector<std::int64_t> all(200);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_GT(result.out.size(), 65'536U);
  EXPECT_EQ(batches, all);
  EXPECT_EQ(result.jsonLines().back().at("event"), "run_finished");
}

TEST_F(TrainCommandTest, TwoSignalsEndARunWhoseOutputNobodyReads) {
  const std::string fifo = (folder_ / "fifo").string();
  RunningProgram program(folder_.path(), smallSteps("1000000ba"),
                         {"sh", "-c", "mkfifo '" + fifo + "' && exec \"$0\" \"$@\" <>'" + fifo + "' 1>&0 2>&1"});
  const auto rows = [this] {
    const auto workspace = Workspace::open(folder_ / "workspace");
    const auto found = workspace.ok() ? (*workspace)->findRun("latest") : workspace.error();
    return found.ok() ? found->summary.at.batch : 0;
  };
  for (int looks = 0; looks < 1000 && rows() < 200; ++looks) usleep(100'000);
  ASSERT_GE(rows(), 200) << "more than a pipe holds";
  for (int count = 0; count < 2; ++count) {
    program.signal(SIGINT);
    for (int looks = 0; looks < 1000 && program.hasPending(SIGINT); ++looks) usleep(100'000);
    usleep(2'000'000);  // a second later: another request
  }
  for (int looks = 0; looks < 300 && !program.hasEnded(); ++looks) usleep(100'000);
  EXPECT_TRUE(program.hasEnded());
}

TEST_F(TrainCommandTest, AReaderThatGoesAwayDoesNotEndTheRun) {
  const ProgramResult result =
      RunningProgram(folder_.path(), smallSteps("20ba"), {"sh", "-c", "\"$0\" \"$@\" | head -c 1"}).wait();
  EXPECT_EQ(result.out, "{");
  EXPECT_THAT(result.err, HasSubstr("the rest of the output cannot be written: Broken pipe"));
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").at(0).at("status"), "finished");
}

TEST_F(TrainCommandTest, AnOutputThatIsClosedFromTheStartIsAFailureOfARunThatIsStored) {
  for (const bool lines : {true, false}) {
    SCOPED_TRACE(lines ? "lines" : "text");
    std::vector<std::string> arguments = training("3ba");
    if (!lines) std::erase(arguments, "--json");
    const ProgramResult result = RunningProgram(folder_.path(), arguments, {"sh", "-c", "\"$0\" \"$@\" >&-"}).wait();
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_THAT(result.err, HasSubstr("the output is incomplete: stdout cannot be written"));
    const json stored = run({"runs", "list", "--json"}).json().at("runs").at(0);
    EXPECT_EQ(stored.at("status"), "finished");
    EXPECT_EQ(stored.at("ba"), 3);
  }
}

TEST_F(TrainCommandTest, ARunThatHasOnlyAJournalGoesOnAndIsTakenIn) {
  const std::vector<std::string> journal = {"--name", "far", "--set", "launch.journal=always"};
  const ProgramResult first = runProgram(folder_.path(), training("2ba", journal));
  ASSERT_EQ(first.exitCode, 0) << first.err;
  ASSERT_FALSE(std::filesystem::exists(workspace() / "workspace.sqlite"));
  EXPECT_EQ(run({"resume", "far", "--set", "max_duration=3ba"}).exitCode, 0);
  EXPECT_EQ(run({"runs", "sync"}).exitCode, 0);
  EXPECT_EQ(run({"metrics", "far", "--series", "loss", "--json"}).json().at("series").at("loss").size(), 3U);
}

TEST_F(TrainCommandTest, ARunThatIsDoneIsLeftAsItIs) {
  ASSERT_EQ(runProgram(folder_.path(), training("3ba", {"--name", "done"})).exitCode, 0);
  const ProgramResult again = run({"resume", "done", "--json"});
  EXPECT_EQ(again.exitCode, 0) << again.err;
  EXPECT_EQ(again.jsonLines().back().at("status"), "finished");
  EXPECT_EQ(run({"runs", "show", "done", "--json"}).json().at("segments").size(), 1U);
  EXPECT_THAT(run({"resume", "done", "--fork"}).err, HasSubstr("so nothing is left to train up to 3ba"));
  EXPECT_THAT(run({"resume", "done", "--set", "name=other"}).err, HasSubstr("would rename the run"));
  EXPECT_THAT(run({"resume", "done", "--name", "other"}).err, HasSubstr("--fork"));
  EXPECT_EQ(run({"resume", "done", "--fork", "--name", "longer", "--set", "max_duration=4ba"}).exitCode, 0);
  EXPECT_THAT(run({"runs", "show", "longer"}).out, HasSubstr("made from run"));
}

TEST_F(TrainCommandTest, OfAStretchedRunWhatWasLaunchedAndWhatIsInForceAreShown) {
  const std::vector<std::string> falling = {"--name", "stretched", "--set", "scheduler={name: linear, t_max: 1dur}"};
  ASSERT_EQ(runProgram(folder_.path(), training("4ba", falling)).exitCode, 0);
  const std::string before = run({"runs", "show", "stretched"}).out;
  EXPECT_THAT(before, HasSubstr("  max_duration: 4ba\n"));
  EXPECT_THAT(before, testing::Not(HasSubstr("at launch 4ba")));
  const std::vector<std::string> longer = {"resume", "stretched", "--stretch", "--set", "max_duration=8ba"};
  ASSERT_EQ(run(longer).exitCode, 0);
  for (const int segments : {2, 3}) {  // also after a resume that resolves nothing anew
    const std::string shown = run({"runs", "show", "stretched"}).out;
    EXPECT_THAT(shown, HasSubstr("changed since the launch\n  max_duration: "));
    EXPECT_THAT(shown, HasSubstr("  max_duration: 8ba since segment 1; at launch 4ba\n"));
    EXPECT_THAT(shown, HasSubstr("  scheduler.t_max: 8ba since segment 1; at launch 4ba\n"));
    const json asJson = run({"runs", "show", "stretched", "--json"}).json();
    EXPECT_EQ(asJson.at("segments").size(), static_cast<std::size_t>(segments));
    EXPECT_EQ(asJson.at("resolved").at("max_duration"), "4ba");
    EXPECT_EQ(asJson.at("resolved_now").at("max_duration"), "8ba");
    if (segments < 3) {
      ASSERT_EQ(run({"resume", "stretched", "--set", "max_duration=9ba"}).exitCode, 0);
    }
  }
}

TEST_F(TrainCommandTest, ARunThatEndsDivergedSaysSo) {
  const std::vector<std::string> tooFast = {"--name", "boom",
                                            "--set",  "optimizer.lr=1",
                                            "--set",  "optimizer.grad_clip_norm=0",
                                            "--set",  "scheduler={name: constant}"};
  const ProgramResult result = runProgram(folder_.path(), training("40ba", tooFast));
  EXPECT_EQ(result.exitCode, 0) << result.err;
  const json finished = result.jsonLines().back();
  EXPECT_EQ(finished.at("status"), "finished");
  EXPECT_EQ(finished.at("cause"), "diverged");
  EXPECT_THAT(finished.at("reason").get<std::string>(), HasSubstr("diverged: the loss"));
  ASSERT_EQ(runProgram(folder_.path(), smallSteps("6ba")).exitCode, 0) << "short, not diverged";
  EXPECT_THAT(run({"runs", "list"}).out, HasSubstr("finished, diverged"));
  const json runs = run({"runs", "list", "--filter", "status = diverged", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).at("cause"), "diverged");
  EXPECT_EQ(run({"runs", "list", "--filter", "status = finished", "--json"}).json().at("runs").size(), 2U);
}

TEST_F(TrainCommandTest, AResumeSaysWhatFollowsFromWhatChanged) {
  const std::vector<std::string> falling = {
      "--name", "six", "--set", "scheduler={name: linear, t_max: 1dur, alpha_f: 0}", "--set", "precision=fp32"};
  ASSERT_EQ(runProgram(folder_.path(), training("6ba", falling)).exitCode, 0);
  const ProgramResult longer = run({"resume", "six", "--set", "max_duration=8ba"});
  EXPECT_THAT(longer.out,
              testing::AllOf(HasSubstr("warning: the last value of the schedule is 0"), HasSubstr("--stretch")));
  const ProgramResult fork = run({"resume", "six", "--fork", "--set", "precision=bf16", "--set", "max_duration=10ba"});
  EXPECT_THAT(fork.out,
              testing::AllOf(HasSubstr("precision: fp32 -> bf16"), HasSubstr("rates or numbers may differ (precision)"),
                             testing::Not(HasSubstr("bit for bit")), testing::Not(HasSubstr("differs by"))));
  const ProgramResult sizes = run({"resume", "six", "--fork", "--stretch", "--set", "max_duration=10ba", "--set",
                                   "batch.global_train_batch_size=8"});
  EXPECT_THAT(sizes.out, testing::AllOf(HasSubstr("the samples of the steps differ"),
                                        testing::Not(HasSubstr("bit for bit")), testing::Not(HasSubstr("differs by"))));
  const ProgramResult seed = run({"resume", "six", "--fork", "--set", "seed=4"});
  EXPECT_THAT(seed.out, HasSubstr("clocks and optimizer moments start at zero (seed: "));
}

TEST_F(TrainCommandTest, TheCheckOfTheStoreReadsCheckpoints) {
  ASSERT_EQ(runProgram(folder_.path(), training("3ba", {"--name", "kept"})).exitCode, 0);
  EXPECT_THAT(run({"store", "check"}).out, HasSubstr("is in order"));
  for (const auto& entry : std::filesystem::directory_iterator(workspace() / "checkpoints")) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(entry.path()) / 2));
    file.write("damage", 6);
  }
  const ProgramResult found = run({"store", "check"});
  EXPECT_EQ(found.exitCode, 1);
  EXPECT_THAT(found.out, testing::AllOf(HasSubstr("is damaged"), testing::Not(HasSubstr("in order"))));
  const ProgramResult quick = run({"store", "check", "--quick"});
  EXPECT_THAT(quick.out,
              testing::AllOf(HasSubstr("the database of the workspace"), HasSubstr("checkpoints was not read")));
}

// The program, whose data somebody cuts short under it.
TEST_F(TrainCommandTest, AFileOfTokensThatIsCutEndsTheRunWithItsName) {
  for (const char* devices : {"cpu", "cpu:2"}) {
    SCOPED_TRACE(devices);
    std::vector<std::string> arguments = smallSteps("100000ba");
    arguments.insert(arguments.end(), {"--set", std::string("devices=") + devices});
    RunningProgram program(folder_.path(), arguments);
    ASSERT_TRUE(program.waitFor("\"metrics\""));
    std::filesystem::path tokens;
    for (const auto& entry : std::filesystem::directory_iterator(workspace() / "cache"))
      if (entry.path().native().ends_with(".train.tokens")) tokens = entry.path();
    ASSERT_FALSE(tokens.empty());
    std::filesystem::resize_file(tokens, 3000);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exitCode, 1) << result.err;
    EXPECT_THAT(result.out + result.err, HasSubstr(tokens.filename().string()));
    EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").at(0).at("status"), "failed");
    std::filesystem::remove(tokens);
  }
}

TEST_F(TrainCommandTest, ABadNameIsRefused) {
  EXPECT_THAT(runProgram(folder_.path(), training("3ba", {"--name", "\xff"})).err, HasSubstr("UTF-8"));
  EXPECT_EQ(runProgram(folder_.path(), training("3ba", {"--name", "  "})).exitCode, 2);
}

TEST_F(TrainCommandTest, ASignalSavesACheckpointAndTheRunGoesOn) {
  RunningProgram program(folder_.path(), training("100000ba"));
  ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
  program.signal(SIGTERM);
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exitCode, 3) << stopped.err;
  const json finished = stopped.jsonLines().back();
  EXPECT_EQ(finished.at("status"), "stopped");
  EXPECT_NE(finished.at("last_checkpoint"), "");
  const std::int64_t reached = finished.at("ba");
  const ProgramResult resumed =
      run({"resume", "latest", "--set", "max_duration=" + std::to_string(reached + 3) + "ba", "--json"});
  EXPECT_EQ(resumed.exitCode, 0) << resumed.err;
  EXPECT_EQ(resumed.jsonLines().back().at("ba"), reached + 3);
}

// What launchers, terminals and people send: the same request more than once.
TEST_F(TrainCommandTest, ASignalThatIsRepeatedAtOnceSavesACheckpoint) {
  const std::vector<std::vector<int>> requests = {{SIGINT, SIGTERM}, {SIGHUP, SIGHUP, SIGTERM}, {SIGTERM, SIGHUP}};
  for (const std::vector<int>& request : requests) {
    RunningProgram program(folder_.path(), smallSteps("100000ba"));
    ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
    for (const int number : request) {
      program.signal(number);
      usleep(2'000);  // else signals of one number become one
    }
    const ProgramResult stopped = program.wait();
    EXPECT_EQ(stopped.exitCode, 3) << stopped.err;
    EXPECT_NE(stopped.jsonLines().back().at("last_checkpoint"), "");
  }
}

// timeout signals its child, and a moment later the group of both.
TEST_F(TrainCommandTest, TimeoutAroundTrainSavesACheckpoint) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    RunningProgram program(folder_.path(), smallSteps("100000ba"), {"timeout", "600"});
    ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
    program.signal(number);  // it forwards the signal as it sends its own
    const ProgramResult stopped = program.wait();
    EXPECT_EQ(stopped.exitCode, 3) << number << stopped.err;
    EXPECT_NE(stopped.jsonLines().back().at("last_checkpoint"), "");
  }
}

TEST_F(TrainCommandTest, UnderNohupAClosedTerminalDoesNotStopTheRun) {
  RunningProgram program(folder_.path(), smallSteps("100000ba"), {"nohup"});
  ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
  program.signal(SIGHUP);
  usleep(300'000);
  EXPECT_FALSE(program.hasEnded());
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().exitCode, 3);
}

TEST_F(TrainCommandTest, TheQueueSaysWhetherAStoppedRunWasSaved) {
  ASSERT_EQ(run({"queue", "add", "demo", "--set", "max_duration=100000ba", "--set", "devices=cpu"}).exitCode, 0);
  RunningProgram program(folder_.path(), withWorkspace({"queue", "run", "--json"}));
  ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
  program.signal(SIGINT);
  program.signal(SIGTERM);
  const ProgramResult stopped = program.wait();
  const auto workspace = Workspace::open(folder_ / "workspace");
  ASSERT_TRUE(workspace.ok());
  const RunSummary left = (*workspace)->findRun("latest")->summary;
  EXPECT_EQ(left.status, RunStatus::Stopped);
  EXPECT_EQ(stopped.exitCode, left.checkpoints > 0 ? 3 : 1) << stopped.err;
}

TEST_F(TrainCommandTest, AnotherProcessPausesSavesAndStopsIt) {
  RunningProgram program(folder_.path(), training("100000ba"));
  ASSERT_TRUE(program.waitFor("\"event\":\"metrics\"")) << program.wait().err;
  const auto workspace = Workspace::open(folder_ / "workspace");
  ASSERT_TRUE(workspace.ok());
  const std::int64_t process = (*workspace)->findRun("latest")->segments.back().processId;
  const auto give = [&](RunCommand command) { return sendRunCommand(folder_ / "workspace", process, command).ok(); };
  ASSERT_TRUE(give(RunCommand::Pause));
  ASSERT_TRUE(program.waitFor("\"paused\":true"));
  const auto isPaused = [&] { return run({"runs", "show", "latest", "--json"}).json().at("run").at("paused") == true; };
  for (int looks = 0; looks < 100 && !isPaused(); ++looks) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(isPaused());
  EXPECT_THAT(run({"runs", "list"}).out, HasSubstr(" paused "));
  ASSERT_TRUE(give(RunCommand::Continue));
  ASSERT_TRUE(program.waitFor("\"paused\":false"));
  ASSERT_TRUE(give(RunCommand::SaveCheckpoint));
  ASSERT_TRUE(program.waitFor("\"reason\":\"requested\""));
  ASSERT_TRUE(give(RunCommand::StopAfterBatch));
  const ProgramResult stopped = program.wait();
  EXPECT_EQ(stopped.exitCode, 3) << stopped.err;
  EXPECT_THAT(stopped.jsonLines().back().at("reason"), HasSubstr("after the global batch"));
}

TEST_F(TrainCommandTest, TakesAWholeRequestFromStdin) {
  const ProgramResult none = run({"train", "--request"});
  EXPECT_EQ(none.exitCode, 2);
  EXPECT_THAT(none.err, HasSubstr("batchwise.launch/1"));
  EXPECT_THAT(run({"train"}).err, HasSubstr("needs a configuration"));
}

TEST_F(TrainCommandTest, FindsTheLargestMicroBatchUnderALimit) {
  const ProgramResult result = run({"find-batch", "demo", "--set", "devices={use: cpu, memory_limit: 96MiB}", "--set",
                                    "batch.device_train_microbatch_size=auto", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const json found = result.json();
  EXPECT_EQ(found.at("schema"), "batchwise.find_batch/1");
  EXPECT_GE(found.at("microbatch"), 1);
  EXPECT_LE(found.at("probes").size(), 4U);
  for (const json& probe : found.at("probes")) EXPECT_LE(probe.at("peak"), found.at("limit"));
  EXPECT_TRUE(found.at("notes").is_array());
}

TEST_F(TrainCommandTest, WhatCannotTrainIsRefusedBeforeARunExists) {
  write("text.txt", "only a few words here\n");
  const std::string small =
      write("small.yaml",
            "data: {train: [text.txt], holdout: 0}\ntokenizer: {train: {vocab_size: 100}}\nscheduler: constant\n");
  const ProgramResult tooSmall = run({"train", small});
  EXPECT_EQ(tooSmall.exitCode, 2) << tooSmall.err;
  EXPECT_THAT(tooSmall.err, HasSubstr("batch"));
  const ProgramResult noDevice = run({"train", "demo", "--set", "devices=cuda:999"});
  EXPECT_THAT(noDevice.exitCode, testing::AnyOf(1, 2));
  EXPECT_THAT(noDevice.err, HasSubstr("cuda"));
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").size(), 0U);
}

TEST_F(TrainCommandTest, TheQueueIsTrainedOneRunAfterTheOtherAndHoldsAfterAFailure) {
  const auto adds = [this](const std::string& more) {
    ASSERT_EQ(run(words("queue add demo --set devices=cpu --set max_duration=2ba --set " + more)).exitCode, 0);
  };
  adds("name=first");
  const std::string gone = write("gone.txt", "a text that is there only while it is queued\n");
  adds("name=broken --set data.format=text --set data.train=[" + gone + "]");
  adds("name=last");
  ASSERT_TRUE(std::filesystem::remove(gone));
  EXPECT_EQ(run({"queue", "run"}).exitCode, 1);
  const auto states = [this] {
    std::vector<std::string> out;
    const json listed = run({"queue", "list", "--json"}).json();
    for (const json& entry : listed.at("entries")) out.push_back(entry.at("status"));
    return out;
  };
  EXPECT_EQ(states(), (std::vector<std::string>{"finished", "failed", "waiting"}));
  EXPECT_EQ(run({"queue", "run"}).exitCode, 1) << "told to go on, and one is left that failed";
  EXPECT_EQ(states(), (std::vector<std::string>{"finished", "failed", "finished"}));
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").size(), 2U);
}

TEST_F(TrainCommandTest, ARollBackByTheClockIsNotedAtTheLaunchAndInTheRun) {
  const char* says = "set checkpoint.interval to global batches alone, such as 100ba";
  const std::string file =
      write("run.yaml", "data: {format: demo}\nmax_duration: 9ba\nguard: {grad_norm: {action: roll_back}}\n");
  const auto train = [&](const Words& more) {
    Words all{"train", file,
              "--set", "max_duration=1ba",
              "--set", "model={preset: tiny, hidden_size: 8, num_attention_heads: 1}"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const ProgramResult shown = train({});
  ASSERT_EQ(shown.exitCode, 0) << shown.err;
  EXPECT_THAT(shown.err, HasSubstr(says));
  EXPECT_THAT(shown.out, testing::Not(HasSubstr(says))) << "it is said once";
  const ProgramResult lines = train({"--json", "--name", "second"});
  EXPECT_THAT(lines.out, HasSubstr(says));
  EXPECT_THAT(run({"runs", "show", "second", "--json"}).out, HasSubstr("roll_back"));
  EXPECT_THAT(train({"--set", "checkpoint.interval=1ba"}).err, testing::Not(HasSubstr(says)));
}

}  // namespace
}  // namespace batchwise::test
