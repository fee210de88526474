// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations of tests/vectors/cases, as users run them.
#include <algorithm>
#include <cstdint>

#include "tests/app/command_fixture.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CasesTest : public CommandTest {
 protected:
  std::string science(const std::string& name) const { return copiedCase("science", "runs/" + name + ".yaml"); }
  std::string notesOf(const std::string& file, const std::string& more = "") const {
    const ProgramResult shown = run(words("preview --json " + more, {file}));
    EXPECT_EQ(shown.exitCode, 0) << shown.err;
    return shown.exitCode == 0 ? shown.json().at("notes").dump() : "";
  }
  void train(const std::string& file, std::vector<std::string> more, int exitCode = 0) const {
    std::vector<std::string> arguments = {"train", file, "--set", "devices={use: cpu, threads: 1}"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult trained = run(arguments);
    EXPECT_EQ(trained.exitCode, exitCode) << trained.err;
  }
};

struct Finding {
  const char* name;
  std::string yaml;
  const char* says;
};

TEST_F(CasesTest, EveryCommandFindsTheSame) {
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += "the cat number " + std::to_string(i) + " sees a dog\n\n";
  write("text.txt", lines);
  write("both.txt", "the cat number 7 sees a dog\n\nquite another line\n\n");
  const std::string small =
      "tokenizer: {train: {vocab_size: 100}}\nmodel: {preset: tiny, num_hidden_layers: 1}\n"
      "devices: {use: cpu, threads: 1}\n";
  const std::string common = small + "batch: {global_train_batch_size: 8}\n";
  const std::string text = "data: {train: [text.txt], max_seq_len: 16}\nmax_duration: ";
  const std::string own = common + text + "2ba\n";
  const std::vector<Finding> findings = {
      {"overlap", common + "data: {train: [text.txt], eval: [both.txt], max_seq_len: 16}\nmax_duration: 2ba\n",
       "data.eval: 1 of 2 documents also stands in the training text"},
      {"overlap of a set", own + "eval: {sets: {a: [both.txt]}}\n",
       "eval.sets.a: 1 of 2 documents also stands in the training text"},
      {"overlap of a stage",
       small + "data: {train: [both.txt], eval: [text.txt], max_seq_len: 16}\nbatch: {global_train_batch_size: 1}\n"
               "max_duration: 2ba\nstages: [{until: 1ba}, {until: 1dur, data.train: [text.txt]}]\n",
       "stages[1].data.eval: 60 of 60 documents also stand in the training text"},
      {"text named twice", common + "data: {train: [text.txt, './text.txt'], max_seq_len: 16}\nmax_duration: 2ba\n",
       "is named 2 times"},
      {"rate", own + "optimizer: {lr: 5}\n", "optimizer.lr: "},
      {"scaled rate", own + "optimizer: {lr: 0.05}\nlr_scaling: {method: linear, reference_batch_size: 1}\n",
       "lr_scaling.reference_batch_size: a step of 8 has the learning rate 0.4"},
      {"ramp in batches",
       small + text +
           "2ba\nbatch: {global_train_batch_size: 9, rampup: {duration: 2ba, initial_global_train_batch_size: 2}}\n",
       "batch.rampup: not every step size divides 9"},
      {"ramp in epochs",
       small + text +
           "2ep\nbatch: {global_train_batch_size: 9, rampup: {duration: 1ep, initial_global_train_batch_size: 2}}\n",
       "batch.rampup: not every step size divides 9"},
      {"evaluation at the end", own + "eval: {interval: 5ba}\n", "eval.interval: "},
  };
  for (const Finding& finding : findings) {
    SCOPED_TRACE(finding.name);
    std::filesystem::remove_all(workspace());
    const std::string file = write("run.yaml", finding.yaml);
    for (const char* command : {"config check", "sweep --list", "queue add", "preview", "train", "config check"}) {
      const ProgramResult result = run(words(command, {file}));
      EXPECT_EQ(result.exitCode, 0) << command << result.err;
      EXPECT_THAT(result.err + result.out, HasSubstr(finding.says)) << command;
    }
  }
}

TEST_F(CasesTest, AnEvaluationOfAFewTokensIsNamed) {
  EXPECT_THAT(notesOf(science("H")), HasSubstr("data.holdout: the evaluation predicts only about"));
}

TEST_F(CasesTest, BesideNamedSetsNothingIsHeldOut) {
  const ProgramResult prepared = run({"prepare", science("MB"), "--json"});
  ASSERT_EQ(prepared.exitCode, 0) << prepared.err;
  EXPECT_TRUE(prepared.json().at("eval").is_null());
  EXPECT_EQ(prepared.json().at("eval_sets").size(), 2U);
}

TEST_F(CasesTest, SizesOfARampThatDoNotDivideAreNamed) {
  EXPECT_THAT(notesOf(science("ramp"), "--samples-per-epoch 1300"),
              AllOf(HasSubstr("14 x 7 = 98"), HasSubstr("4 x 28 = 112")));
  EXPECT_THAT(notesOf(science("A")), HasSubstr("1 x 37 = 37"));
}

TEST_F(CasesTest, GrowthThatNeverHappensIsNamedWithItsCause) {
  EXPECT_THAT(notesOf(science("D2"), "--set batch.growth.bound=device_maximum"),
              HasSubstr("batch.device_train_microbatch_size 5 times 1 device"));
}

TEST_F(CasesTest, TheSearchNamesTheLargestSizeThatFits) {
  const json found =
      run({"find-batch", science("D3"), "--json", "--set", "devices={use: cpu, threads: 1, memory_limit: 48MiB}",
           "--set", "batch.growth.bound=device_maximum"})
          .json();
  std::int64_t proven = 0;
  for (const json& probe : found.at("probes"))
    if (probe.at("fits").get<bool>()) proven = std::max(proven, probe.at("microbatch").get<std::int64_t>());
  EXPECT_EQ(found.at("microbatch"), proven);
  EXPECT_GT(proven, 17) << "the global batch";
}

TEST_F(CasesTest, EvaluationsAtTheEndsOfUnequalRunsAreCompared) {
  std::vector<std::string> compare = {"runs", "compare", "--json", "--metric", "eval.loss"};
  for (const char* seed : {"1", "2"}) {
    train(science("S"), {"--name", seed, "--set", std::string("seed=") + seed, "--set", "max_duration=5ba"});
    compare.push_back(seed);
  }
  const ProgramResult compared = run(compare);
  ASSERT_EQ(compared.exitCode, 0) << compared.err;
  const json lines = compared.json().at("lines");
  ASSERT_EQ(lines.size(), 2U);
  for (const json& line : lines)
    for (const json& cell : line.at("cells")) EXPECT_FALSE(cell.at("value").is_null()) << cell;
}

TEST_F(CasesTest, ADivergedRunLosesAndSaysSo) {
  const std::string file = copiedCase("diverged-run-in-comparison");
  train(file, {"--name", "fine", "--set", "max_duration=4ba"});
  train(file, {"--name", "boom", "--set", "max_duration=6ba", "--set", "optimizer={lr: 1e6, grad_clip_norm: 0}",
               "--set", "guard.non_finite=skip"});
  const ProgramResult csv = run({"runs", "compare", "fine", "boom", "--csv"});
  EXPECT_THAT(csv.out, AllOf(HasSubstr("diverged"), Not(HasSubstr("better")))) << csv.out;
  EXPECT_THAT(run({"metrics", "boom", "--series", "loss"}).out, testing::ContainsRegex("loss .* [1-9][0-9]*\n"))
      << "how many are not finite";
}

}  // namespace
}  // namespace batchwise::test
