// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PrepareCommandTest : public CommandTest {
 protected:
  /// A configuration beside the text `train`, with a small vocabulary.
  std::string config(const std::string& train, const std::string& more = "") const {
    return write("run.yaml", "data: {train: [" + train + "], max_seq_len: 16, holdout: 0" + more +
                                 "}\ntokenizer: {train: {vocab_size: 120}}\nscheduler: constant\n");
  }
  std::string sentences() const {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "the cat number " + std::to_string(i) + " sees the dog in the garden\n\n";
    return text;
  }
};

TEST_F(PrepareCommandTest, TokenizesOnceAndTellsWhatItFound) {
  write("text.txt", sentences() + "broken \xff\xfe bytes here\n\n");
  const ProgramResult first = run({"prepare", config("text.txt"), "--json"});
  ASSERT_EQ(first.exitCode, 0) << first.err;
  const json shown = first.json();
  EXPECT_EQ(shown.at("schema"), "batchwise.prepare/1");
  EXPECT_EQ(shown.at("train").at("documents"), 201);
  EXPECT_EQ(shown.at("train").at("replaced_bytes"), 2);
  EXPECT_EQ(shown.at("notes").size(), 1U) << shown.at("notes");
  EXPECT_EQ(shown.at("from_cache"), false);
  EXPECT_TRUE(shown.at("eval").is_null());
  EXPECT_EQ(run({"prepare", config("text.txt"), "--json"}).json().at("from_cache"), true);
  const ProgramResult text = run({"prepare", config("text.txt")});
  EXPECT_EQ(text.exitCode, 0);
  EXPECT_THAT(text.out, HasSubstr("from 201 documents"));
}

TEST_F(PrepareCommandTest, PreviewReadsTheTextIfNoFiguresAreGiven) {
  write("text.txt", sentences());
  const Words command = {"preview", config("text.txt"), "--set", "batch.global_train_batch_size=50"};
  const ProgramResult text = run(command);
  ASSERT_EQ(text.exitCode, 0) << text.err;
  EXPECT_THAT(text.err, HasSubstr("tokenizing"));
  EXPECT_THAT(text.out, HasSubstr("% of padded micro-batches"));
  const json totals = run(words("preview --json", {command.begin() + 1, command.end()})).json().at("totals");
  EXPECT_EQ(totals.at("sp"), 200);
  EXPECT_EQ(totals.at("ba"), 4);
}

TEST_F(PrepareCommandTest, TellsWhatEachSourceHasInAnEpoch) {
  write("text.txt", sentences());
  write("own.txt", "the dog sees the cat\n\nthe garden has a number\n\n");
  const std::string file = config("{path: text.txt, weight: 1}, {path: own.txt, weight: 1}");
  for (const char* command : {"prepare", "preview"}) {
    const json sources = run(words(std::string(command) + " --json", {file})).json().at("sources");
    ASSERT_EQ(sources.size(), 2U) << command;
    EXPECT_EQ(sources[0].at("name"), "text");
    EXPECT_EQ(sources[0].at("passes_per_epoch"), 1);
    EXPECT_GT(sources[1].at("passes_per_epoch"), 100);
    EXPECT_NEAR(sources[1].at("tokens_per_epoch"), sources[0].at("tokens_per_epoch"), 10);
  }
  EXPECT_THAT(run({"preview", file}).err, HasSubstr("an epoch has of text 49.99 % of the tokens, one pass"));
}

TEST_F(PrepareCommandTest, LengthsAreKeptWhereTheConfigurationSays) {
  const std::filesystem::path text = write("text.txt", sentences());
  // A file that changed just now is read again each time.
  std::filesystem::last_write_time(text, std::filesystem::last_write_time(text) - std::chrono::hours(1));
  const std::string file = config("text.txt");
  for (const char* kept : {"kept.u16", "kept.u32", "kept"}) {
    SCOPED_TRACE(kept);
    const auto command = [&](const std::string& name) {
      return run({name, file, "--set", "batch.global_train_batch_size=2", "--set",
                  "batch.tokens={max_tokens: 200, metrics_path: " + std::string(kept) + "}", "--json"});
    };
    EXPECT_EQ(command("batches").exitCode, 2);
    const ProgramResult made = command("preview");
    ASSERT_EQ(made.exitCode, 0) << made.err;
    const ProgramResult batches = command("batches");
    ASSERT_EQ(batches.exitCode, 0) << batches.err;
    EXPECT_EQ(batches.json().at("skipped").size(), 0U);
    EXPECT_EQ(command("preview").json(), made.json());
  }
  std::filesystem::resize_file(folder_ / "kept.u16", 20);
  const ProgramResult other =
      run({"preview", file, "--set", "batch.tokens={max_tokens: 200, metrics_path: kept.u16}", "--json"});
  EXPECT_EQ(other.exitCode, 2);
  EXPECT_THAT(other.err, HasSubstr("has 10 lengths, but the data has 200 samples"));
}

TEST_F(PrepareCommandTest, KeptLengthsTakeThePlaceOfTheText) {
  write("kept.u16", std::string("\x05\0\x06\0\x07\0", 6));
  const ProgramResult result =
      run({"preview", config("missing.txt"), "--set", "batch.tokens={max_tokens: 200, metrics_path: kept.u16}", "--set",
           "batch.global_train_batch_size=1", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json().at("totals").at("tok"), 18);
}

TEST_F(PrepareCommandTest, APictureUnderAPatternIsNamedByEveryCommand) {
  const std::string file = copiedCase("binary-file-as-text");
  for (const char* command : {"config check", "prepare", "preview", "train"}) {
    const ProgramResult refused = run(words(command, {file}));
    EXPECT_EQ(refused.exitCode, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("figure.png' is no text: it holds PNG data")) << command;
  }
}

TEST_F(PrepareCommandTest, TheFolderOfAConfigurationIsNoPattern) {
  const std::string file = copiedCase("brackets-in-folder", "[work] 2024/run.yaml");
  EXPECT_EQ(run({"preview", file}).exitCode, 0);
  EXPECT_EQ(run({"prepare", file, "--json"}).json().at("train").at("documents").get<int>() +
                run({"prepare", file, "--json"}).json().at("eval").at("documents").get<int>(),
            100);
}

TEST_F(PrepareCommandTest, CarriageReturnsAloneEndLines) {
  const json shown = run({"prepare", copiedCase("carriage-return-lines"), "--json"}).json();
  EXPECT_EQ(shown.at("train").at("documents").get<int>() + shown.at("eval").at("documents").get<int>(), 300);
}

TEST_F(PrepareCommandTest, ATokenizerThatCannotBeFollowedIsRefused) {
  const ProgramResult refused = run({"prepare", copiedCase("nfkc-metaspace-first")});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.err, HasSubstr("prepend_scheme"));
}

TEST_F(PrepareCommandTest, ATildeIsTheHomeFolderWhereNoShellExpandsIt) {
  const EnvironmentVariable home("HOME", folder_.path().string());
  write("text.txt", sentences());
  const std::string file = config("~/text.txt");
  const ProgramResult made = runProgram(folder_.path(), {"prepare", "~/run.yaml", "--workspace=~/own", "--json"});
  ASSERT_EQ(made.exitCode, 0) << made.err;
  EXPECT_EQ(made.json().at("train").at("documents"), 200);
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "own"));
  EXPECT_EQ(run({"preview", file, "--set", "data.eval=['~/text.txt']"}).exitCode, 0);
}

TEST_F(PrepareCommandTest, EvaluationDocumentsThatAreTrainedOnAreNamedByPreviewToo) {
  write("text.txt", sentences());
  write("eval.txt",
        "the cat number 7 sees the dog in the garden\n\nA new line.\nthe cat number 9 sees the dog in the garden\n\n"
        "nothing that was known before\n");
  const std::string file = config("text.txt", ", eval: [eval.txt]");
  for (const char* command : {"prepare", "preview"}) {
    const ProgramResult shown = run({command, file, "--set", "batch.global_train_batch_size=50"});
    ASSERT_EQ(shown.exitCode, 0) << shown.err;
    EXPECT_THAT(shown.out + shown.err, HasSubstr("data.eval: 2 of 3 documents also stand in the training text"))
        << command;
  }
}

TEST_F(PrepareCommandTest, UnusableTextIsRefusedWithItsName) {
  write("empty.txt", "");
  std::filesystem::create_directories(folder_ / "emptyfolder");
  for (const auto& [train, says] : std::vector<std::pair<std::string, std::string>>{{"missing.txt", "missing.txt"},
                                                                                    {"none/*.txt", "none/*.txt"},
                                                                                    {"empty.txt", "no text"},
                                                                                    {"emptyfolder", "emptyfolder"},
                                                                                    {"", "data.train"}}) {
    const ProgramResult result = run({"prepare", config(train), "--json"});
    SCOPED_TRACE(train);
    EXPECT_THAT(result.exitCode, testing::AnyOf(1, 2));
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_EQ(result.json().at("code"), "config");
    EXPECT_EQ(result.json().at("field"), "data.train");
  }
}

TEST_F(PrepareCommandTest, GeneralTextIsDrawnBesideTheOwnAndTrainsAndEvaluates) {
  std::string general;
  for (int i = 0; i < 400; ++i) general += "general line " + std::to_string(i) + " about the world and its people\n\n";
  const std::string wiki = write("wiki.txt", general);
  const std::string own = write("text.txt", sentences());
  const std::string output = (folder_.path() / "general").string();
  const ProgramResult drawn =
      run({"general-text", wiki, "--beside", own, "--output", output, "--share", "0.2", "--json"});
  ASSERT_EQ(drawn.exitCode, 0) << drawn.err;
  const json made = drawn.json();
  EXPECT_GT(made.at("train_documents"), 20);
  EXPECT_GT(made.at("eval_documents"), 100);
  const ProgramResult prepared = run({"prepare", config("text.txt, general/general-train.txt"), "--set",
                                      "eval.sets={general: [" + made.at("eval").get<std::string>() + "]}", "--json"});
  ASSERT_EQ(prepared.exitCode, 0) << prepared.err;
  const json shown = prepared.json();
  EXPECT_EQ(shown.at("train").at("documents"), 200 + made.at("train_documents").get<int>());
  EXPECT_EQ(shown.at("eval_sets").at("general").at("documents"), made.at("eval_documents"));
  EXPECT_THAT(shown.at("notes").dump(), testing::Not(HasSubstr("also trained")));
}

TEST_F(PrepareCommandTest, TheShareOfGeneralTextIsANumberWithinItsLimits) {
  const std::string wiki = write("wiki.txt", sentences());
  const std::string output = (folder_.path() / "general").string();
  for (const auto& [option, limits] : {std::pair("--share", "from 0 to 0.9"), std::pair("--holdout", "from 0 to 0.5")})
    for (const char* value : {"nan", "-nan", "inf", "-0.1", "0.95", "x"}) {
      SCOPED_TRACE(std::string(option) + " " + value);
      const ProgramResult refused =
          run({"general-text", wiki, "--beside", wiki, "--output", output, std::string(option) + "=" + value});
      EXPECT_EQ(refused.exitCode, 2);
      EXPECT_THAT(refused.err, HasSubstr(limits));
      EXPECT_FALSE(std::filesystem::exists(output));
    }
}

}  // namespace
}  // namespace batchwise::test
