// SPDX-License-Identifier: GPL-3.0-or-later
// Every way to a launch finds the same mistakes, at once, and writes nothing.
#include <set>

#include "core/run/launch/preflight.h"
#include "tests/app/command_fixture.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Mistake {
  const char* name;
  std::string yaml;
  const char* says;
};

/// A folder with a vocabulary and a model that do not go together, and good text.
class CheckCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    write("kept.u16", "abc");  // no whole number of lengths
    write("text.txt", "some words of text\n\nand some more\n");
    write("short/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
    write("vocab/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nword\n");
    write("model/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nword\n");
    write("model/config.json", R"({"model_type": "bert", "vocab_size": 6, "hidden_size": 8, "num_hidden_layers": 1,
      "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 64})");
    // One tensor of 6 x 8 numbers where a whole encoder is needed.
    std::string header = R"({"bert.embeddings.word_embeddings.weight":)"
                         R"({"dtype":"F32","shape":[6,8],"data_offsets":[0,192]}})";
    std::string length(8, '\0');
    length[0] = static_cast<char>(header.size());
    write("model/model.safetensors", length + header + std::string(192, '\0'));
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    return CommandTest::write(name, text);
  }

  const std::string demo_ = "data: {format: demo}\nmax_duration: 9ba\ndevices: cpu\n";
  const std::string text_ = "data: {train: [text.txt], max_seq_len: 16}\nmax_duration: 9ba\ndevices: cpu\n";
  const std::vector<Mistake> mistakes_ = {
      {"heads", demo_ + "model: {preset: tiny, num_attention_heads: 3}\n",
       "model.num_attention_heads: 3 heads do not divide a hidden_size of 128"},
      {"width", demo_ + "model: {preset: tiny, hidden_size: 129}\n",
       "model.hidden_size: 2 heads do not divide a hidden_size of 129"},
      {"too wide", demo_ + "model: {hidden_size: 20000}\n", "model.hidden_size: '20000'"},
      {"text", "data: {train: [gone.txt]}\nmax_duration: 9ba\n", "data.train: there is no file or folder"},
      {"pattern", "data: {train: [none/*.txt]}\nmax_duration: 9ba\n", "data.train: no file matches the pattern"},
      {"evaluation", "data: {train: [text.txt], eval: [gone.txt]}\nmax_duration: 9ba\n",
       "data.eval: there is no file or folder"},
      {"folder", "data: {train: [vocab], format: jsonl}\nmax_duration: 9ba\n", "data.train: the folder"},
      {"vocabulary", text_ + "tokenizer: {path: gone}\n", "tokenizer.path: "},
      {"short vocabulary", text_ + "tokenizer: {path: short}\n", "tokenizer.path: "},
      {"no model", text_ + "model: {init_from: gone}\ntokenizer: {path: vocab}\n", "model.init_from: "},
      {"sizes", text_ + "model: {init_from: model, hidden_size: 16}\n", "model.hidden_size is 16"},
      {"weights", text_ + "model: {init_from: model}\n", "model.init_from: "},
      {"eps", demo_ + "optimizer: {eps: 1e-60}\n", "optimizer.eps: 1e-60 is 0 in fp32"},
      {"warm-up", demo_ + "scheduler: {name: linear_with_warmup, t_warmup: 640.5sp}\n", "scheduler.t_warmup: "},
      {"seconds", "data: {format: demo}\nmax_duration: 30m\n", "scheduler.t_max: is missing"},
      {"roll back", demo_ + "guard: {loss_spike: {action: roll_back}}\ncheckpoint: {interval: []}\n",
       "guard.loss_spike.action: roll_back needs a checkpoint"},
      {"ratio", "data: {format: demo}\nmax_duration: 4611686018427387000ba\nscale_schedule_ratio: 1e6\n",
       "scale_schedule_ratio: the product exceeds the range of 64 bits"},
      {"three halves", demo_ + "model: {family: neobert, preset: tiny, intermediate_size: 12}\n",
       "model.intermediate_size: 12 is not a multiple of 8"},
      {"odd heads", demo_ + "model: {family: eurobert, preset: tiny, hidden_size: 6, num_attention_heads: 2}\n",
       "model.num_attention_heads: 3 features per attention head"},
      {"lengths", text_ + "batch: {tokens: {max_tokens: 256, metrics_path: kept.u16}}\n",
       "batch.tokens.metrics_path: "},
  };
};

TEST_F(CheckCommandTest, CheckPreviewLaunchAndFormSayTheSameOfEachMistakeAndOnce) {
  for (const Mistake& mistake : mistakes_) {
    SCOPED_TRACE(mistake.name);
    const std::string file = write("run.yaml", mistake.yaml);
    const ProgramResult checked = run({"config", "check", file});
    EXPECT_EQ(checked.exitCode, 2);
    EXPECT_THAT(checked.err, HasSubstr(mistake.says));
    for (const char* command : {"preview", "train", "prepare", "find-batch"}) {
      const ProgramResult result = run(words(command, {file}));
      EXPECT_EQ(result.exitCode, 2) << command;
      EXPECT_EQ(result.err, checked.err) << command;
    }
    for (const char* command : {"sweep --list", "queue add", "submit", "sweep --over seed=1,2"}) {
      const ProgramResult result = run(words(command, {file}));
      EXPECT_EQ(result.exitCode, 2) << command;
      EXPECT_THAT(result.err, HasSubstr(mistake.says)) << command;
    }
    const json errors = run({"config", "check", file, "--json"}).json().at("errors");
    std::set<std::string> places;
    for (const json& error : errors) {
      EXPECT_NE(error.at("field"), "") << errors;
      places.insert(error.at("field").get<std::string>() + ": " + error.at("message").get<std::string>());
    }
    EXPECT_EQ(places.size(), errors.size()) << errors << ": each once";
    EXPECT_FALSE(std::filesystem::exists(workspace()));

    const LoadedConfig typed = parseConfig(mistake.yaml, "form", folder_.path());
    if (!typed.ok()) {
      EXPECT_THAT(typed.errorText(), HasSubstr(mistake.says));
      continue;
    }
    const auto found = preflight(typed, folder_.path());
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(found.front().fatal);
    EXPECT_THAT(found.front().field + ": " + found.front().text(), HasSubstr(mistake.says));
  }
}

TEST_F(CheckCommandTest, AllMistakesComeAtOnce) {
  const std::string file = write("run.yaml", R"(sead: 1
data: {train: [gone.txt, text.txt, away.txt]}
tokenizer: {path: nowhere}
max_duration: 9ba
)");
  const json errors = run({"config", "check", file, "--json"}).json().at("errors");
  ASSERT_EQ(errors.size(), 4U) << errors.dump();
  EXPECT_EQ(errors.at(0).at("field"), "sead");
  EXPECT_EQ(errors.at(1).at("line"), 2);
  EXPECT_THAT(errors.at(2).at("message").get<std::string>(), HasSubstr("away.txt"));
  EXPECT_EQ(errors.at(3).at("field"), "tokenizer.path");
}

TEST_F(CheckCommandTest, AMistakeOfTheCommandLineIsSaidOnceWithItsPlace) {
  const json heads =
      run({"config", "check", "demo", "--set", "model.num_attention_heads=3", "--json"}).json().at("errors");
  EXPECT_EQ(heads.size(), 1U) << heads;
  const json errors = run({"config", "check", "demo", "--set", "scale_schedule_ratio=1e6", "--set",
                           "max_duration=4611686018427387000ba", "--json"})
                          .json()
                          .at("errors");
  ASSERT_EQ(errors.size(), 1U) << errors;
  EXPECT_EQ(errors.at(0).at("field"), "scale_schedule_ratio");
  EXPECT_EQ(errors.at(0).at("source"), "--set");
}

TEST_F(CheckCommandTest, GivenFiguresTakeThePlaceOfFiles) {
  const std::string file =
      write("run.yaml", "data: {train: [gone.txt]}\ntokenizer: {path: nowhere}\nmax_duration: 9ba\n");
  EXPECT_EQ(run({"preview", file, "--samples-per-epoch", "9000"}).exitCode, 0);
  std::string lengths;
  for (int i = 0; i < 500; ++i) lengths += "9\n";
  EXPECT_EQ(run({"preview", file, "--seqlens", write("lengths.txt", lengths)}).exitCode, 0);
  const ProgramResult wrong =
      run({"preview", file, "--samples-per-epoch", "9000", "--set", "model.num_attention_heads=7"});
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_THAT(wrong.err, HasSubstr("7 heads do not divide"));
  EXPECT_FALSE(std::filesystem::exists(workspace()));
}

TEST_F(CheckCommandTest, ATextThatIsNotNamedYetIsANoteUntilTheLaunch) {
  const std::string file = write("run.yaml", "max_duration: 9ba\n");
  const ProgramResult checked = run({"config", "check", file});
  EXPECT_EQ(checked.exitCode, 0);
  EXPECT_THAT(checked.err, HasSubstr("data.train: `batchwise train` rejects this: names no text"));
  const ProgramResult trained = run({"train", file});
  EXPECT_EQ(trained.exitCode, 2);
  EXPECT_THAT(trained.err, HasSubstr("data.train: names no text"));
  EXPECT_FALSE(std::filesystem::exists(workspace()));
}

TEST_F(CheckCommandTest, WhatLooksLikeASlipIsSaid) {
  const std::vector<std::pair<std::string, const char*>> slips = {
      {"eval: {interval: 3ba}\ndata: {train: [text.txt], holdout: 0}\n", "eval.interval: has no effect"},
      {"optimizer: {eps: 1e-40}\n", "optimizer.eps: 1e-40 is below"},
      {"model: {preset: tiny, num_hidden_layers: 25}\n", "model.num_hidden_layers: 25 layers with norm: post"},
      {"batch: {growth: {every: 2ep}}\n", "batch.growth.increase_function: is not set"},
      {"guard: {loss_spike: {action: roll_back}}\n", "guard.loss_spike.action: roll_back goes to checkpoints of "},
      {"guard: {non_finite: roll_back}\ncheckpoint: {interval: [9ba, 30m]}\n",
       "checkpoint.interval, and 1800sec counts training time"},
  };
  for (const auto& [yaml, says] : slips) {
    const bool hasData = yaml.find("data:") != std::string::npos;
    const ProgramResult checked =
        run({"config", "check", write("run.yaml", (hasData ? "" : "data: {format: demo}\n") + yaml)});
    EXPECT_EQ(checked.exitCode, 0) << checked.err;
    EXPECT_THAT(checked.err, HasSubstr(says));
  }
  const std::string deep = "data: {format: demo}\nmodel: {preset: tiny, norm: pre, num_hidden_layers: 25}\n";
  const std::string file = write("run.yaml", deep);
  const ProgramResult checked = run({"config", "check", file});
  EXPECT_THAT(checked.err, Not(HasSubstr("diverge")));
  EXPECT_THAT(checked.err, HasSubstr("model.norm: transformers has no bert with norm: pre"));
  const ProgramResult preview = run({"preview", file, "--samples-per-epoch", "900", "--json"});
  EXPECT_THAT(preview.json().at("notes").dump(), HasSubstr("not exported")) << preview.err;
}

TEST_F(CheckCommandTest, ARollBackByTheClockIsNoted) {
  const char* says = "set checkpoint.interval to global batches alone, such as 100ba";
  const std::string yaml = "data: {format: demo}\nmax_duration: 9ba\nguard: {grad_norm: {action: roll_back}}\n";
  const std::string file = write("run.yaml", yaml);
  EXPECT_THAT(run({"config", "check", file}).err, HasSubstr(says));
  EXPECT_THAT(run({"config", "check", file, "--json"}).json().at("notes").dump(), HasSubstr(says));
  EXPECT_THAT(run({"preview", file, "--samples-per-epoch", "900", "--json"}).json().at("notes").dump(),
              HasSubstr(says));
}

TEST_F(CheckCommandTest, GrowthThatNeverActsIsSaidInThePreview) {
  const auto notesOf = [this](const std::string& growth) {
    const std::string file =
        write("run.yaml", "max_duration: 2ep\nbatch: {global_train_batch_size: 10, " + growth + "}\n");
    return run({"preview", file, "--samples-per-epoch", "100", "--json"}).json().at("notes").dump();
  };
  const std::string doubles = "growth: {bound: none, increase_function: \"current_batch_size * 2\"";
  EXPECT_THAT(notesOf(doubles + ", every: 5ep}"), HasSubstr("growth function is first evaluated after 5ep"));
  EXPECT_THAT(notesOf(doubles + "}, rampup: {duration: 3ep, initial_global_train_batch_size: 5}"),
              HasSubstr("first evaluated after the ramp"));
  EXPECT_THAT(notesOf("growth: {bound: none, increase_function: current_batch_size}"),
              HasSubstr("the function always gives the current size, 10"));
  EXPECT_THAT(notesOf(doubles + "}"), Not(HasSubstr("batch.growth")));
}

TEST_F(CheckCommandTest, ThePreviewTakesTheMicrobatchThatAProcessorTakes) {
  const std::string file = write("run.yaml",
                                 "data: {max_seq_len: 64}\nmax_duration: 2ep\ndevices: cpu\n"
                                 "batch: {global_train_batch_size: 128, device_train_microbatch_size: auto}\n");
  const auto preview = [&](const Words& more) {
    return run(words("preview --samples-per-epoch 1000 --json " + file, more)).json();
  };
  const auto shown = preview({});
  EXPECT_EQ(shown.at("resolved").at("batch.device_train_microbatch_size"), "64") << "4,096 tokens";
  EXPECT_THAT(shown.at("notes").dump(), Not(HasSubstr("found at launch")));
  EXPECT_THAT(preview({"--set", "devices.memory_limit=2GB"}).at("notes").dump(), HasSubstr("found at launch"));
}

TEST_F(CheckCommandTest, AShortRunTellsWhatNeverComes) {
  const std::string file = write("run.yaml", "scheduler: constant\nmax_duration: 4ba\neval: {interval: 9ba}\n");
  const std::string says = "longer than the run (4 global batches), so the model is evaluated at the end only";
  EXPECT_THAT(run({"config", "check", file, "--json"}).json().at("notes").dump(), HasSubstr(says));
  EXPECT_THAT(run({"preview", file, "--samples-per-epoch", "9000", "--json"}).json().at("notes").dump(),
              HasSubstr(says));
  EXPECT_THAT(run({"preview", file, "--set", "max_duration=1ba", "--samples-per-epoch", "9000", "--json"})
                  .json()
                  .at("notes")
                  .dump(),
              HasSubstr("the run (1 global batch), so"));
}

TEST_F(CheckCommandTest, AShortLastStageIsNoRunWithoutStepsForAWarmup) {
  const std::string plain = "scheduler: constant\nbatch: {global_train_batch_size: 64}\n";
  const auto notesOf = [&](const std::string& more) {
    return run({"preview", write("run.yaml", plain + more), "--samples-per-epoch", "64000", "--json"})
        .json()
        .at("notes")
        .dump();
  };
  EXPECT_THAT(notesOf("max_duration: 64000sp\nstages: [{until: 0.99dur}, {until: 1dur, scheduler.name: linear}]\n"),
              Not(HasSubstr("wants for its warm-up alone")));
  EXPECT_THAT(notesOf("max_duration: 2560sp\n"), HasSubstr("wants for its warm-up alone"));
}

TEST_F(CheckCommandTest, ZippedFieldsAndRangesMakeRuns) {
  const Words sweep = {"sweep", "demo", "--over", "optimizer.lr=1e-4..1e-2 x3 log", "--over", "seed=1,2,3", "--list"};
  EXPECT_THAT(run(sweep).out, HasSubstr("9 runs"));
  Words zipped = sweep;
  zipped.insert(zipped.end(), {"--set", "zip=[optimizer.lr, seed]"});
  EXPECT_THAT(run(zipped).out, HasSubstr("3 runs"));
}

TEST_F(CheckCommandTest, AGridThatWouldRepeatItselfIsRefused) {
  for (const auto& [over, says] : {std::pair("seed=1,2 --over seed=3,4", "--over names seed twice"),
                                   std::pair("optimizer.lr=1e-3,0.001", "optimizer.lr: the value 0.001 is given twice"),
                                   std::pair("name=a,b", "--over name: runs that differ by their names alone")}) {
    const ProgramResult refused = run(words(std::string("sweep demo --list --over ") + over));
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, HasSubstr(says));
  }
  EXPECT_THAT(run({"sweep", "demo", "--over", "launch.why=first try,second", "--list"}).out, HasSubstr("2 runs"));
}

}  // namespace
}  // namespace batchwise::test
