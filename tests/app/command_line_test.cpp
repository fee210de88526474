// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

using CommandLineTest = CommandTest;

/// Of each group of commands, "" for those without one.
const std::vector<std::pair<std::string, const char*>> kCommands = {
    {"", "train find-batch resume preview batches fill-mask judge metrics prepare export doctor"},
    {"runs ", "list show diff archive delete restore"},
    {"checkpoints ", "keep-best list verify delete"},
    {"config ", "check reference import"},
    {"store ", "usage check backup restore"}};

TEST_F(CommandLineTest, EveryCommandExplainsItselfWithAnExample) {
  for (const auto& [group, names] : kCommands)
    for (const std::string& name : words(names)) {
      const ProgramResult result = runProgram(folder_.path(), words(group + name, {"--help"}));
      EXPECT_EQ(result.exitCode, 0) << name;
      EXPECT_THAT(result.out, HasSubstr("Example:\n  batchwise " + group + name));
      EXPECT_EQ(result.err, "");
    }
}

TEST_F(CommandLineTest, ThreadsThatWaitSleep) {
  unsetenv("OMP_WAIT_POLICY");
  setenv("OMP_DISPLAY_ENV", "verbose", 1);  // OpenMP then tells on stderr what it has understood
  const ProgramResult result = runProgram(folder_.path(), {"config", "reference"});
  unsetenv("OMP_DISPLAY_ENV");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.err, HasSubstr("GOMP_SPINCOUNT = '0'"));
}

TEST_F(CommandLineTest, BadArgumentsEndWithTwoAndSaySo) {
  const Words cases = {
      "",
      "trian",
      "train",
      "runs",
      "runs show",
      "train demo --no-such-flag",
      "preview demo --devices 0",
      "preview demo --samples-per-epoch -3",
      "preview demo --tokens-per-sample 3",
      "preview demo --samples-per-epoch 9 --at 5",
      "preview demo --samples-per-epoch 9 --at 5sec",
      "batches demo",
      "metrics latest --csv --all",
      "export latest",
      "export latest --hf a --csv b",
      "runs show nosuch",
      "runs delete nosuch",
      "runs delete nosuch --yes",
      "resume nosuch",
      "metrics nosuch",
      "fill-mask nosuch [MASK]",
      "eval nosuch --data text.txt",
      "eval latest",
      "noise nosuch",
      "noise latest --batches 3",
      "noise latest --batch-size 1",
      "judge latest",
      "judge latest --task nowhere.yaml --method guess",
      "eval latest --data text.txt --draws 0",
      "eval latest --data text.txt --mlm-probability 0",
      "checkpoints verify nosuch",
      "checkpoints delete nosuch",
      "config check /no/such/file.yaml",
      "batches demo --seqlens /no/such/file",
  };
  for (const std::string& line : cases) {
    const ProgramResult result = run(words(line));
    SCOPED_TRACE(line);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.err, "");
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(CommandLineTest, AnEmptyNameIsRefusedWithWhatToGive) {
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  const std::string text = write("text.txt", "a text\n");
  const std::vector<Case> cases = {
      {{"train", ""}, "config: name a configuration"},
      {{"resume", ""}, "run: name a run"},
      {{"resume", "latest", "--checkpoint", ""}, "--checkpoint: name a checkpoint"},
      {{"submit", "--resume", ""}, "--resume: name a run"},
      {{"fill-mask", "latest", "a [MASK]", "--checkpoint", ""}, "--checkpoint: name a checkpoint"},
      {{"noise", ""}, "run: name a run"},
      {{"eval", "", "--data", text}, "model: name a run, a checkpoint or a folder"},
      {{"eval", "latest", "--data", ""}, "--data: name a file"},
      {{"export", "latest", "--hf", ""}, "--hf: name a folder"},
      {{"export", "latest", "--hf", "out", "--checkpoint", ""}, "--checkpoint: name a checkpoint"},
      {{"export", "latest", "--csv", ""}, "--csv: name a file"},
      {{"export", "latest", "--chart", ""}, "--chart: name a file"},
      {{"export", "latest", "--archive", ""}, "--archive: name a file"},
      {{"import", ""}, "file: name a file"},
      {{"metrics", ""}, "run: name a run"},
      {{"runs", "diff", "latest", ""}, "other: name a run"},
      {{"runs", "compare", "latest", ""}, "runs: name a run"},
      {{"runs", "compare", "latest", "--points", ""}, "--points: name a file"},
      {{"runs", "rename", "", "new"}, "run: name a run"},
      {{"checkpoints", "list", ""}, "run: name a run"},
      {{"checkpoints", "verify", ""}, "checkpoint: name a checkpoint or a run"},
      {{"checkpoints", "delete", ""}, "checkpoint: name a checkpoint"},
      {{"general-text", text, "--beside", text, "--output", ""}, "--output: name a folder"},
      {{"general-text", "", "--beside", text, "--output", "out"}, "general: name a file"},
      {{"batches", "demo", "--seqlens", ""}, "--seqlens: name a file"},
      {{"plan-scale", "demo", "--gpus", "1", "--like", ""}, "--like: name a run"},
      {{"config", "import", text, "--output", ""}, "--output: name a file"},
      {{"doctor", ""}, "config: name a configuration"},
      {{"store", "backup", ""}, "file: name a file"},
      {{"store", "restore", "--from", ""}, "--from: name a file"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(testing::PrintToString(one.arguments));
    const ProgramResult result = run(one.arguments);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr(one.says));
    EXPECT_EQ(result.out, "");
  }
  const ProgramResult nowhere = runProgram(folder_.path(), {"runs", "list", "--workspace", ""});
  EXPECT_EQ(nowhere.exitCode, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--workspace: name a folder"));
}

TEST_F(CommandLineTest, ChangesOfASubmittedRunAreRefusedInsteadOfIgnored) {
  for (const char* change : {"--set max_duration=4ep", "--name other", "--over seed=1,2"}) {
    const ProgramResult result = run(words(std::string("submit --resume mine ") + change));
    EXPECT_EQ(result.exitCode, 2) << change;
    EXPECT_THAT(result.err, HasSubstr("leave out --set, --name and --over")) << change;
  }
}

TEST_F(CommandLineTest, AllConfigurationErrorsComeAtOnce) {
  const std::string file = write("bad.yaml", "sead: 3\noptimizer: {lr: fast}\n");
  const ProgramResult text = run({"config", "check", file, "--set", "batch.global_train_batch_size=0"});
  EXPECT_EQ(text.exitCode, 2);
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err, HasSubstr("bad.yaml:1: sead: unknown field; did you mean 'seed'?"));
  EXPECT_THAT(text.err, HasSubstr("bad.yaml:2: optimizer.lr: 'fast'"));
  EXPECT_THAT(text.err, HasSubstr("--set: batch.global_train_batch_size: '0'"));
  const ProgramResult asJson = run({"config", "check", file, "--json"});
  EXPECT_EQ(asJson.exitCode, 2);
  EXPECT_EQ(asJson.json().at("schema"), "batchwise.config_check/1");
  EXPECT_EQ(asJson.json().at("errors").size(), 2U);
  EXPECT_EQ(asJson.json().at("errors").at(1).at("field"), "optimizer.lr");
  EXPECT_EQ(asJson.json().at("errors").at(0).at("nearest"), "seed");
  EXPECT_EQ(asJson.json().at("errors").at(0).at("code"), "config");
  EXPECT_EQ(run({"runs", "show", "none", "--json"}).json().at("code"), "not_found");
  for (const char* command : {"train", "preview", "prepare"}) EXPECT_EQ(run({command, file}).exitCode, 2);
  EXPECT_FALSE(std::filesystem::exists(workspace()));  // nothing is written before all checks have passed
}

TEST_F(CommandLineTest, OwnTextBesideTheDemoIsRefusedByAllThatReadAConfiguration) {
  const std::string file = write("own.yaml", "max_duration: 10ba\ndata:\n  format: demo\n  train: [text.txt]\n");
  for (const char* command :
       {"config check", "preview --samples-per-epoch 1000", "train", "prepare", "sweep --over seed=1,2"}) {
    const ProgramResult result = run(words(command, {file}));
    SCOPED_TRACE(command);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr("data.train: names text, but data.format is demo"));
  }
  EXPECT_FALSE(std::filesystem::exists(workspace() / "checkpoints"));
}

TEST_F(CommandLineTest, WhatNoDataCanMakeRightIsFoundBeforeAnyIsRead) {
  const std::string file = write("static.yaml", R"(max_duration: 100ba
data: {format: demo}
batch: {growth: {increase_function: "foo*2"}}
scheduler:
  name: linear_with_warmup
  t_warmup: 640sp
)");
  for (const char* command : {"config check", "train", "prepare"}) {
    const ProgramResult result = run(words(command, {file}));
    SCOPED_TRACE(command);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr("static.yaml:6: scheduler.t_warmup: "));
    EXPECT_THAT(result.err, HasSubstr("static.yaml:3: batch.growth.increase_function: "));
  }
  EXPECT_EQ(run({"config", "check", file, "--json"}).json().at("errors").size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(workspace()));
}

TEST_F(CommandLineTest, WhatDependsOnTheDataIsNotHeldAgainstAConfiguration) {
  for (const char* schedule :
       {"max_duration: 100ba\nscheduler: {name: linear_with_warmup, t_warmup: 1ep}\n",
        "max_duration: 2ep\nscheduler: {name: linear_with_warmup, t_warmup: 500ba}\n",
        "max_duration: 3ep\nbatch: {rampup: {duration: 1ep, initial_global_train_batch_size: 4}}\n",
        "max_duration: 1ep\nbatch: {tokens: {max_tokens: 512, min_batch_size: 8}}\n"}) {
    const ProgramResult result = run({"config", "check", write("run.yaml", schedule)});
    EXPECT_EQ(result.exitCode, 0) << schedule << result.err;
  }
}

TEST_F(CommandLineTest, AnUnknownWordIsNamedWithTheNearestCommand) {
  EXPECT_THAT(run({"trian"}).err, HasSubstr("unknown command 'trian', did you mean 'train'?"));
  EXPECT_THAT(run({"runs", "lsit"}).err, HasSubstr("unknown command 'runs lsit', did you mean 'runs list'?"));
  EXPECT_THAT(run({"nonsense"}).err, HasSubstr("unknown command 'nonsense'"));
  const ProgramResult alone = runProgram(folder_.path(), {});
  EXPECT_EQ(alone.exitCode, 0);
  EXPECT_THAT(alone.out, HasSubstr("find-batch"));
}

TEST_F(CommandLineTest, NumbersOutOfRangeAreRefusedInPlainWords) {
  const ProgramResult zero = run({"preview", "demo", "--samples-per-epoch", "0"});
  EXPECT_THAT(zero.err, HasSubstr("'0' is not a whole number, at least 1"));
  const ProgramResult word = run({"batches", "demo", "--seqlens", "x", "--epoch", "x"});
  EXPECT_THAT(word.err, HasSubstr("'x' is not a whole number, at least 0"));
}

TEST_F(CommandLineTest, CheckShowsTheConfiguration) {
  const ProgramResult text = run({"config", "check", "demo", "--set", "optimizer.lr=0.5"});
  EXPECT_EQ(text.exitCode, 0);
  EXPECT_THAT(text.out, HasSubstr("  lr: 0.5\n"));
  const ProgramResult asJson = run({"config", "check", "demo", "--json"});
  EXPECT_EQ(asJson.json().at("ok"), true);
}

TEST_F(CommandLineTest, PublishedRampsAreConfigurationsWithTheirSources) {
  EXPECT_THAT(run({"config", "ramps"}).out, HasSubstr("gpt-3\n  32k to 3.2M tokens"));
  const ProgramResult ramp = run({"config", "ramps", "nemotron-4", "--global-batch", "24"});
  EXPECT_THAT(ramp.out, HasSubstr("arXiv 2402.16819"));
  const std::string file = write("ramp.yaml", ramp.out + "max_duration: 1000ba\n");
  const json planned = run({"preview", file, "--samples-per-epoch", "100000", "--json"}).json();
  EXPECT_EQ(planned.at("resolved").at("batch.rampup.sizes"), "8,16,24");
  EXPECT_EQ(planned.at("resolved").at("batch.rampup.starts"), "0ba,25ba,50ba");
  const json all = run({"config", "ramps", "--json"}).json().at("ramps");
  EXPECT_GE(all.size(), 8U);
  EXPECT_THAT(all[0].at("yaml").get<std::string>(), HasSubstr("rampup:"));
  const ProgramResult unknown = run({"config", "ramps", "llama"});
  EXPECT_THAT(unknown.err, HasSubstr("there is no published ramp 'llama'; known: gpt-3"));
}

TEST_F(CommandLineTest, ARampFromTheScheduleIsPreviewedWithWhatItSaves) {
  const std::string file =
      write("seesaw.yaml",
            "max_duration: 64000sp\nscheduler: linear\nbatch: {global_train_batch_size: 64, rampup: "
            "{from_schedule: {factor: 2, cap: 4x}}}\n");
  const json planned = run({"preview", file, "--samples-per-epoch", "64000", "--json"}).json();
  EXPECT_EQ(planned.at("resolved").at("batch.rampup.starts"), "0sp,32000sp,48000sp");
  EXPECT_EQ(planned.at("totals").at("steps"), 688);
  EXPECT_THAT(planned.at("notes").dump(), HasSubstr("688 steps instead of 1,000"));
  EXPECT_THAT(planned.at("notes").dump(), HasSubstr("optimizer.weight_decay: 0.01"));
}

TEST_F(CommandLineTest, ReferenceListsTheFields) {
  EXPECT_THAT(run({"config", "reference"}).out, HasSubstr("| `optimizer.lr` | a number per step"));
  const json fields = run({"config", "reference", "--json"}).json().at("fields");
  EXPECT_GT(fields.size(), 80U);
}

TEST_F(CommandLineTest, PreviewAnswersWithoutReadingData) {
  const std::string file = write("run.yaml", R"(max_duration: 20ba
batch: {global_train_batch_size: 64, device_train_microbatch_size: 8, rampup: {duration: 10ba, initial_global_train_batch_size: 16}}
optimizer: {lr: 0.5}
scheduler: {name: linear_with_warmup, t_warmup: 4ba, alpha_f: 0}
)");
  const ProgramResult result = run({"preview", file, "--samples-per-epoch", "6400", "--tokens-per-sample", "16",
                                    "--devices", "2", "--at", "0ba,2ba,12ba,30ba", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const json shown = result.json();
  EXPECT_EQ(shown.at("schema"), "batchwise.preview/1");
  EXPECT_EQ(shown.at("max_duration"), "20ba");
  EXPECT_EQ(shown.at("resolved").at("scheduler.t_warmup"), "4ba");
  EXPECT_EQ(shown.at("totals").at("ba"), 20);
  EXPECT_EQ(shown.at("totals").at("sp"), 1280);
  EXPECT_EQ(shown.at("totals").at("tok"), 20480);
  ASSERT_EQ(shown.at("points").size(), 4U);
  EXPECT_EQ(shown.at("points").at(0).at("step_samples"), 16);
  EXPECT_EQ(shown.at("points").at(1).at("lr"), 0.375) << "from one, under a ramp";
  EXPECT_EQ(shown.at("points").at(2).at("lr_factor"), 0.5);
  EXPECT_EQ(shown.at("points").at(3).at("lr"), 0.0);
  EXPECT_EQ(shown.at("stages").at(0).at("step_samples"), 16);
  EXPECT_TRUE(shown.at("notes").is_array());
  EXPECT_GT(shown.at("memory").at("per_device_bytes"), shown.at("memory").at("weights"));
  EXPECT_EQ(shown.at("memory").at("micro_batch").at("units"), 8);
  EXPECT_FALSE(std::filesystem::exists(workspace()));
  EXPECT_THAT(shown.at("notes").dump(), testing::Not(HasSubstr("rejects")));
  const json few = run({"preview", file, "--samples-per-epoch", "63", "--json"}).json();
  EXPECT_THAT(few.at("notes").dump(), HasSubstr("`batchwise train` rejects this: the training text gives 63 samples"));
  EXPECT_THAT(few.at("notes").dump(), HasSubstr("set batch.global_train_batch_size to at most 63"));
  const std::string seesaw = write("seesaw.yaml",
                                   "max_duration: 20ba\nscheduler: {name: linear}\nbatch: {global_train_batch_size: 4, "
                                   "rampup: {from_schedule: {factor: 2, cap: 64}}}\n");
  EXPECT_THAT(run({"preview", seesaw, "--samples-per-epoch", "63", "--json"}).json().at("notes").dump(),
              HasSubstr("set batch.rampup.from_schedule.cap to at most 63"));
  const ProgramResult text = run({"preview", file, "--samples-per-epoch", "6400"});
  EXPECT_EQ(text.exitCode, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("20"));
  EXPECT_THAT(text.out, HasSubstr("of tensors per device"));
  EXPECT_THAT(run({"preview", file, "--samples-per-epoch", "6400", "--set", "devices.memory_limit=1MiB"}).out,
              HasSubstr("of devices.memory_limit can be used"));
}

TEST_F(CommandLineTest, BatchesKeepEverySample) {
  const std::string config = write("run.yaml",
                                   "max_duration: 1ep\ndata: {shuffle: false}\nbatch: {global_train_batch_size: 2, "
                                   "tokens: {max_tokens: 10}}\nscheduler: constant\n");
  for (const std::string& lengths :
       {write("l.json", "[4, 6, 5, 5, 9, 11, 1]"), write("l.txt", "4\n6\n5\n5\n9\n11\n1\n")}) {
    const ProgramResult result = run({"batches", config, "--seqlens", lengths, "--json"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const json shown = result.json();
    EXPECT_EQ(shown.at("schema"), "batchwise.batches/1");
    EXPECT_EQ(shown.at("packs"), (json{{0, 1}, {2, 3}, {4, 6}}));
    EXPECT_EQ(shown.at("global_batch_of_pack"), (json{0, 0, 1}));
    EXPECT_EQ(shown.at("skipped").at(0).at("sample"), 5);
  }
  EXPECT_EQ(run({"batches", config, "--seqlens", write("bad.txt", "4\nsix\n")}).exitCode, 2);
  const std::string lengths = write("l.txt", "4\n6\n5\n5\n9\n11\n1\n");
  EXPECT_THAT(run({"batches", config, "--seqlens", lengths}).out, HasSubstr("steps  packs  samples  tokens"));
  const std::string plain = write("plain.yaml", "max_duration: 1ep\nbatch: {global_train_batch_size: 2}\n");
  EXPECT_THAT(run({"batches", plain, "--seqlens", lengths}).out, HasSubstr("steps  samples  tokens"));
}

TEST_F(CommandLineTest, PeersNamesAreSaidInTheNotesOfAPreview) {
  const std::string file = write("run.yaml", "global_train_batch_size: 32\nmax_duration: 4ba\nscheduler: constant\n");
  const ProgramResult result = run({"preview", file, "--samples-per-epoch", "320", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_THAT(result.json().at("notes").dump(), HasSubstr("global_train_batch_size"));
}

TEST_F(CommandLineTest, AnotherTrainersFileBecomesAConfiguration) {
  const std::string theirs = write("theirs.json", R"({"train_batch_size":8,"zero_optimization":{"stage":1}})");
  const ProgramResult shown = run({"config", "import", theirs});
  ASSERT_EQ(shown.exitCode, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("global_train_batch_size: 8"));
  EXPECT_THAT(shown.err, HasSubstr("not taken: zero_optimization.stage = 1: "));
  const std::string ours = (folder_ / "ours.yaml").string();
  const json account = run({"config", "import", theirs, "--output", ours, "--json"}).json();
  EXPECT_EQ(account.at("schema"), "batchwise.config_import/1");
  EXPECT_EQ(account.at("yaml"), shown.out);
  EXPECT_EQ(account.at("taken").back().at("to"), "batch.global_train_batch_size");
  EXPECT_EQ(account.at("not_taken").at(0).at("key"), "zero_optimization.stage");
  EXPECT_EQ(account.at("not_taken").at(0).at("effect"), "none");
  EXPECT_EQ(run({"config", "check", ours}).exitCode, 0);
  const std::string other = write("other.yaml", "max_duration: 1ep\nseed: 3\nmodel: {name: mosaic_bert}\n");
  EXPECT_EQ(run({"config", "import", other}).exitCode, 2);
  const ProgramResult partly = run({"config", "import", other, "--partly"});
  EXPECT_EQ(partly.exitCode, 0);
  EXPECT_TRUE(partly.err.starts_with("not theirs: model.name = mosaic_bert: ")) << partly.err;
  EXPECT_EQ(run({"config", "import", write("cake.yaml", "flour: 200\n")}).exitCode, 2);
}

TEST_F(CommandLineTest, PlanScaleSaysWhatIsMeasuredAndWhatPredicted) {
  const std::string config = write("c.yaml", "model: {preset: base}\nbatch: {global_train_batch_size: 4096}\n");
  const ProgramResult none = run({"plan-scale", config, "--gpus", "1,8"});
  EXPECT_EQ(none.exitCode, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("no finished run"), HasSubstr("--tokens-per-sec")));
  const std::vector<std::string> asked = {"plan-scale", config, "--gpus", "1,8,1024", "--tokens-per-sec", "1e6"};
  const ProgramResult text = run(asked);
  ASSERT_EQ(text.exitCode, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("given"), HasSubstr("predicted"), HasSubstr("are predictions")));
  auto inJson = asked;
  inJson.push_back("--json");
  const json shown = run(inJson).json();
  EXPECT_EQ(shown.at("schema"), "batchwise.plan_scale/1");
  ASSERT_EQ(shown.at("points").size(), 3U);
  EXPECT_EQ(shown.at("points").at(0).at("from"), "given");
  EXPECT_EQ(shown.at("points").at(0).at("efficiency"), 1.0);
  EXPECT_EQ(shown.at("points").at(1).at("from"), "predicted");
  EXPECT_LT(shown.at("points").at(2).at("efficiency"), shown.at("points").at(1).at("efficiency"));
  EXPECT_EQ(run({"plan-scale", config, "--gpus", "0", "--tokens-per-sec", "1e6"}).exitCode, 2);

  const std::string ofOneSize = "all rows are for 4,096 samples";
  EXPECT_THAT(text.err, Not(HasSubstr(ofOneSize)));
  inJson.insert(inJson.end(), {"--set", "batch.growth.increase_function=2 * current_batch_size"});
  EXPECT_THAT(run(inJson).err, HasSubstr(ofOneSize));

  // The vocabulary of tokenizer.path counts, not the size of one that would be trained.
  write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n");
  const auto parametersOf = [&](const std::string& tokenizer) {
    const std::string file = write("t.yaml", "model: {preset: tiny}\ntokenizer: " + tokenizer + "\n");
    return run({"plan-scale", file, "--gpus", "1", "--tokens-per-sec", "1e6", "--json"})
        .json()
        .at("parameters")
        .get<std::int64_t>();
  };
  const std::int64_t ofTrained = parametersOf("{train: {vocab_size: 1000}}"),
                     ofFile = parametersOf("{path: vocab.txt}");
  const std::int64_t width = 128;  // of the preset: a row of embeddings and a bias for each token
  EXPECT_EQ(ofTrained - ofFile, (1000 - 7) * (width + 1));
}

TEST_F(CommandLineTest, DoctorReportsThisMachine) {
  const ProgramResult result = run({"doctor", "--json"});
  const json shown = result.json();
  ASSERT_TRUE(shown.is_object()) << result.out << result.err;
  EXPECT_EQ(shown.at("schema"), "batchwise.doctor/1");
  EXPECT_GE(shown.at("cores"), 1);
  EXPECT_GT(shown.at("memory"), 0);
  EXPECT_EQ(result.exitCode, shown.at("problems").empty() ? 0 : 1);
  EXPECT_EQ(shown.at("trainer").at("loads"), shown.at("trainer").at("problem") == "");
  const std::string below = write("file", "") + "/workspace";
  EXPECT_THAT(runProgram(folder_.path(), {"doctor", "--workspace", below}).out,
              HasSubstr("cannot write to the workspace"));
}

}  // namespace
}  // namespace batchwise::test
