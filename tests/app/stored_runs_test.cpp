// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "tests/app/stored_run_fixture.h"
#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class StoredRunsTest : public StoredRunFixture {};

TEST_F(StoredRunsTest, TheShellCompletesCommandsOptionsAndRuns) {
  storeRun("wide", 1e-3);
  storeRun("wider", 1e-3);
  storeRun("narrow", 1e-3);
  const auto elsewhere = [this](const Words& typed) {
    return runProgram(folder_.path(), words("complete", typed)).out;
  };
  const auto completed = [&](const Words& typed) {
    return elsewhere(words("--workspace " + workspace().native(), typed));
  };
  EXPECT_EQ(completed({"pre"}), "prepare\npreview\n");
  EXPECT_EQ(completed({"runs", "li"}), "list\n");
  EXPECT_EQ(completed({"runs", "show", "--js"}), "--json\n");
  EXPECT_EQ(completed({"runs", "show", "wi"}), "wide\nwider\n");
  EXPECT_EQ(completed({"train", ""}), "") << "files, which the shell knows";
  EXPECT_EQ(completed({"export", "--h"}), "--help\n--hf\n") << "an option of a group";
  EXPECT_EQ(completed({"runs", "send", "wide", ""}), "") << "the second argument is no run";
  const std::string joined = "--workspace=" + workspace().native();
  EXPECT_EQ(elsewhere({joined, "runs", "show", "nar"}), "narrow\n") << "as zsh and fish pass it on";
  EXPECT_EQ(elsewhere({"--workspace", "=", workspace().native(), "runs", "show", "nar"}), "narrow\n") << "as bash does";
}

TEST_F(StoredRunsTest, AWorkspaceThatIsNotThereHasNoRunsAndIsNotMade) {
  const ProgramResult result = run({"runs", "list", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json(), (json{{"schema", "batchwise.runs/1"}, {"runs", json::array()}}));
  EXPECT_THAT(result.err, testing::HasSubstr("there is no workspace"));
  EXPECT_EQ(run({"runs", "show", "first"}).exitCode, 2);
  EXPECT_FALSE(std::filesystem::exists(workspace()));
  std::ofstream(workspace()) << "no workspace";
  const ProgramResult inFile = run({"runs", "list"});
  EXPECT_NE(inFile.exitCode, 0);
  EXPECT_THAT(inFile.err, testing::HasSubstr("is a file; name a folder"));
}

TEST_F(StoredRunsTest, OutputThatDoesNotArriveIsAFailure) {
  storeRun("first", 1e-3);
  for (const char* into : {"> /dev/full", ">&-"}) {
    SCOPED_TRACE(into);
    RunningProgram program(folder_.path(), withWorkspace({"runs", "list", "--json"}),
                           {"sh", "-c", std::string("exec \"$0\" \"$@\" ") + into});
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_THAT(result.err, HasSubstr("stdout cannot be written"));
  }
  EXPECT_EQ(std::filesystem::file_size(workspace() / "workspace.lock"), 0u) << "a file that took the place of stdout";
}

TEST_F(StoredRunsTest, ListsAndShowsRuns) {
  const std::string id = storeRun("first", 0.25);
  const ProgramResult listed = run({"runs", "list", "--json"});
  ASSERT_EQ(listed.exitCode, 0) << listed.err;
  const json entry = listed.json().at("runs").at(0);
  EXPECT_EQ(entry.at("id"), id);
  EXPECT_EQ(entry.at("name"), "first");
  EXPECT_EQ(entry.at("status"), "finished");
  EXPECT_EQ(entry.at("ba"), 3);
  EXPECT_EQ(entry.at("loss"), "nan");
  EXPECT_EQ(entry.at("lr"), 0.25);
  EXPECT_THAT(run({"runs", "list"}).out, HasSubstr("first"));
  const json shown = run({"runs", "show", "latest", "--json"}).json();
  EXPECT_EQ(shown.at("schema"), "batchwise.run/1");
  EXPECT_EQ(shown.at("run").at("id"), id);
  EXPECT_EQ(shown.at("resolved").at("scheduler.t_max"), "3ba");
  EXPECT_EQ(shown.at("segments").size(), 1U);
  EXPECT_THAT(run({"runs", "show", "first"}).out, HasSubstr("lr: 0.25"));
}

TEST_F(StoredRunsTest, ComparesTwoRuns) {
  storeRun("first", 0.25);
  storeRun("second", 0.5);
  const json expected = {{"field", "optimizer.lr"}, {"left", "0.25"}, {"right", "0.5"}};
  const json shown = run({"runs", "diff", "first", "second", "--json"}).json();
  EXPECT_EQ(shown.at("differences"), json::array({expected}));
  EXPECT_THAT(shown.at("ignored"), testing::Contains("seed"));
  EXPECT_GT(shown.at("compared"), 50);
  const json all = run({"runs", "diff", "first", "second", "--all", "--json"}).json();
  EXPECT_EQ(all.at("differences"), (json{{{"field", "name"}, {"left", "first"}, {"right", "second"}}, expected}));
  EXPECT_THAT(run({"runs", "diff", "first", "second"}).out, HasSubstr("1 of "));
}

TEST_F(StoredRunsTest, ComparesValuesAndWritesThem) {
  const std::string base = storeRun("base", 0.25);
  storeRun("=other|x", 0.5);
  const auto with = [&](const Words& more) { return run(words("runs compare base =other|x --metric lr", more)); };
  const ProgramResult result = with({"--at", "samples", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const json shown = result.json();
  EXPECT_EQ(shown.at("schema"), "batchwise.comparison/1");
  EXPECT_EQ(shown.at("x"), 96);
  EXPECT_EQ(shown.at("runs").at(0).at("id"), base);
  const json cell = shown.at("lines").at(1).at("cells").at(0);
  EXPECT_EQ(cell.at("series"), "lr");
  EXPECT_EQ(cell.at("value"), 0.5);
  EXPECT_EQ(cell.at("difference"), 0.25);
  EXPECT_EQ(cell.at("relative"), 1.0);
  EXPECT_EQ(cell.at("noise_band"), nullptr);
  EXPECT_EQ(shown.at("differences").at(0).at("field"), "optimizer.lr");
  EXPECT_THAT(with({}).out, HasSubstr("Compared at 960 tokens, where every run ends."));
  EXPECT_THAT(with({"--csv"}).out, HasSubstr("\r\n'=other|x,0.5,0.25,1,"));
  EXPECT_THAT(with({"--markdown"}).out, HasSubstr("| =other\\|x |"));
  const std::string latex = with({"--latex", "--columns", "time"}).out;
  EXPECT_THAT(latex, HasSubstr("\\caption{Compared at 960 tokens, where every run ends.}\n\\begin{tabular}{lrr}\n"));
  const json loss = run({"runs", "compare", "base", "=other|x", "--json"}).json().at("lines").at(1).at("cells");
  const json time = run({"runs", "compare", "base", "=other|x", "--columns", "time", "--json"}).json();
  EXPECT_EQ(loss.at(1).at("series"), "loss") << "compared at equal tokens and at equal time";
  EXPECT_EQ(time.at("lines").at(1).at("cells").size(), 1U);
  EXPECT_EQ(time.at("lines").at(1).at("cells").at(0).at("series"), "time");
  const ProgramResult unknown = with({"--columns", "lrr"});
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_THAT(unknown.err, HasSubstr("the comparison has no column 'lrr'; it has lr, time"));
  const auto file = [&](const char* name) { return (folder_ / name).string(); };
  const ProgramResult written =
      with({"--report", file("r.html"), "--chart", file("c.svg"), "--points", file("p.csv"), "--json"});
  ASSERT_EQ(written.exitCode, 0) << written.err;
  EXPECT_EQ(written.json().at("written").size(), 3U);
  for (const char* name : {"r.html", "c.svg", "p.csv"}) EXPECT_GT(std::filesystem::file_size(file(name)), 50U) << name;
  EXPECT_EQ(with({"--chart", file("c.gif")}).exitCode, 2);
  EXPECT_EQ(with({"--chart", file("c.svg"), "--size", "big"}).exitCode, 2);
  EXPECT_EQ(with({"--at", "years"}).exitCode, 2);
}

TEST_F(StoredRunsTest, AComparisonWritesNothingUnlessAllCanBeWritten) {
  storeRun("base", 0.25);
  const auto file = [&](const char* name) { return (folder_ / name).string(); };
  const std::string foreign = write("mine.csv", "my own values\n");
  const std::vector<std::vector<std::string>> cases = {{"--group-points", file("g.csv")},
                                                       {"--chart", file("c.svg"), "--size", "1x1"},
                                                       {"--chart", file("c.gif")},
                                                       {"--points", foreign},
                                                       {"--size", "20x10"}};
  for (const auto& more : cases) {
    SCOPED_TRACE(testing::PrintToString(more));
    const ProgramResult result = run(words("runs compare base --report " + file("r.html"), more));
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_NE(result.err, "");
    EXPECT_FALSE(std::filesystem::exists(file("r.html")));
  }
}

TEST_F(StoredRunsTest, ACheckpointIsChosenForTheModelOnly) {
  storeRun("base", 0.25);
  for (const auto& [form, name] :
       {std::pair("--csv", "a.csv"), std::pair("--chart", "a.svg"), std::pair("--archive", "a.batchwise")}) {
    SCOPED_TRACE(form);
    const std::string file = (folder_ / name).string();
    const ProgramResult result = run({"export", "base", form, file, "--checkpoint", "4f0k2m9x1c7d"});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr("--checkpoint excludes"));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST_F(StoredRunsTest, ARunOfUnknownLengthIsShownWithoutOne) {
  {
    const auto opened = checked(Workspace::open(workspace()));
    NewRun timed;
    timed.name = "timed";
    timed.configYaml = configToYaml(TrainConfig(), YamlScope::ChangedOnly);
    timed.resolvedYaml = configToYaml(TrainConfig(), YamlScope::Everything);
    ASSERT_TRUE((*opened)->createRun(timed).ok());
  }
  const ProgramResult shown = run({"runs", "show", "timed"});
  EXPECT_EQ(shown.exitCode, 0) << shown.err;
  EXPECT_THAT(shown.out, testing::AllOf(HasSubstr(", 0ba, "), testing::Not(HasSubstr("ba of"))));
  storeRun("counted", 0.25);
  EXPECT_THAT(run({"runs", "show", "counted"}).out, HasSubstr("3ba of 3, "));
}

TEST_F(StoredRunsTest, ExportsTheChartOfARun) {
  storeRun("base", 0.25);
  const std::string file = (folder_ / "lr.svg").string();
  const auto with = [&](const Words& rest) { return run(words("export base --chart " + file, rest)); };
  const ProgramResult done = with({"--series", "lr", "--over", "tokens", "--size", "8x5", "--json"});
  ASSERT_EQ(done.exitCode, 0) << done.err;
  EXPECT_EQ(done.json().at("form"), "chart");
  const std::string picture = contentOf(file);
  EXPECT_THAT(picture, HasSubstr("width=\"8.00cm\""));
  EXPECT_THAT(picture, HasSubstr(">tokens</text>"));
  EXPECT_THAT(with({"--series", "lrr"}).err, HasSubstr("did you mean 'lr'?"));
  EXPECT_EQ(run({"export", "base", "--csv", file, "--over", "time"}).exitCode, 2) << "it is of the chart";
}

TEST_F(StoredRunsTest, ForAPictureOfPixelsAProgramIsNamed) {
  storeRun("base", 0.25);
  for (const char* name : {"c.pdf", "c.png"}) {
    const std::string file = (folder_ / name).string();
    const ProgramResult result = run({"runs", "compare", "base", "--metric", "lr", "--chart", file});
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, testing::AllOf(HasSubstr("c.svg'"), HasSubstr("rsvg-convert"), HasSubstr("the window")));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST_F(StoredRunsTest, ListsTheRunsThatPassAFilter) {
  storeRun("first", 0.25);
  storeRun("second", 0.5);
  const auto names = [&](const std::string& filter) {
    std::vector<std::string> found;
    const json listed = run({"runs", "list", "--filter", filter, "--json"}).json();
    for (const json& one : listed.at("runs")) found.push_back(one.at("name"));
    return found;
  };
  EXPECT_THAT(names("optimizer.lr > 0.3 and status = finished"), testing::ElementsAre("second"));
  EXPECT_THAT(names("loss = nan"), testing::SizeIs(2));
  EXPECT_THAT(names("sec"), testing::ElementsAre("second"));
  const ProgramResult refused = run({"runs", "list", "--filter", "optimizer.l > 3"});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.err, HasSubstr("position 1: there is no field 'optimizer.l'; did you mean 'optimizer.lr'?"));
}

TEST_F(StoredRunsTest, GivesSeriesAsJsonAndAsATable) {
  const std::string id = storeRun("first", 0.25);
  const json shown = run({"metrics", "first", "--series", "loss,lr", "--json"}).json();
  EXPECT_EQ(shown.at("schema"), "batchwise.metrics/1");
  EXPECT_EQ(shown.at("run"), id);
  EXPECT_EQ(shown.at("series"),
            (json{{"loss", {{1, 4.0}, {2, 3.0}, {3, "nan"}}}, {"lr", {{1, 0.25}, {2, 0.25}, {3, 0.25}}}}));
  const std::string counts = run({"metrics", "first", "--series", "sp", "--json"}).out;
  EXPECT_THAT(counts, HasSubstr("[[1,32],[2,64],[3,96]]"));
  EXPECT_EQ(run({"metrics", "first", "--series", "loss,lr", "--csv"}).out,
            "ba,loss,lr\r\n1,4,0.25\r\n2,3,0.25\r\n3,nan,0.25\r\n");
  EXPECT_THAT(run({"metrics", "first"}).out, HasSubstr("grad_norm"));
  EXPECT_THAT(run(words("metrics first --series memory.cpu:0.peak")).out,
              testing::ContainsRegex("memory.cpu:0.peak +GiB +3 +3 +3 +3 +3 +3 +0\n"));
  EXPECT_THAT(run({"metrics", "first", "--series", "loss"}).out,
              testing::ContainsRegex("loss +3 +4 +nan +3 +4 +3.5 +1\n"))
      << "least, largest and mean are of the finite ones";
  EXPECT_THAT(run(words("metrics first --series memory.cpu:0.peak --csv")).out, HasSubstr("1,3221225472"))
      << "what a program reads is what is stored";
  const ProgramResult unknown = run({"metrics", "first", "--series", "los"});
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'loss'?"));
}

TEST_F(StoredRunsTest, OneSeedASideIsNeitherBetterNorWorseForPrograms) {
  storeRun("first", 0.25);
  storeRun("second", 0.5);
  const auto comparison = run({"runs", "compare", "first", "second", "--json"}).json();
  for (const auto& cell : comparison.at("lines").at(1).at("cells")) {
    EXPECT_TRUE(cell.at("noise_band").is_null()) << cell.dump();
    EXPECT_NE(cell.at("verdict"), "better") << cell.dump();
    EXPECT_NE(cell.at("verdict"), "worse") << cell.dump();
  }
  EXPECT_EQ(comparison.at("lines").at(0).at("cells").at(0).at("value"), "nan");
}

TEST_F(StoredRunsTest, TwoFormatsOfOneOutputAreRefused) {
  storeRun("first", 0.25);
  for (const char* option : {"--csv", "--markdown", "--latex"}) {
    const ProgramResult compared = run({"runs", "compare", "first", option, "--json"});
    EXPECT_EQ(compared.exitCode, 2) << option;
    EXPECT_EQ(compared.json().at("schema"), "batchwise.error/1");
    EXPECT_THAT(compared.err, HasSubstr(std::string("--json and ") + option));
  }
  const ProgramResult metrics = run({"metrics", "first", "--csv", "--json"});
  EXPECT_EQ(metrics.exitCode, 2);
  EXPECT_EQ(metrics.json().at("schema"), "batchwise.error/1");
  EXPECT_THAT(metrics.err, HasSubstr("--json and --csv"));
}

TEST_F(StoredRunsTest, ExportsAllMetricsAsCsv) {
  storeRun("first", 0.25);
  const std::string file = (folder_ / "metrics.csv").string();
  const ProgramResult result = run({"export", "first", "--csv", file, "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json().at("target"), file);
  std::ifstream stream(file);
  std::string header;
  std::getline(stream, header);
  EXPECT_EQ(header.rfind("ba,", 0), 0U);
  EXPECT_THAT(header, HasSubstr(",loss,"));
}

TEST_F(StoredRunsTest, ArchivesAndDeletes) {
  storeRun("first", 0.25);
  EXPECT_EQ(run({"runs", "archive", "first"}).exitCode, 0);
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").size(), 0U);
  EXPECT_EQ(run({"runs", "list", "--archived", "--json"}).json().at("runs").size(), 1U);
  EXPECT_EQ(run({"runs", "archive", "first", "--undo", "--json"}).exitCode, 0);
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").size(), 1U);
  const ProgramResult asked = run({"runs", "delete", "first"});
  EXPECT_EQ(asked.exitCode, 2);
  EXPECT_THAT(asked.err, HasSubstr("removes run first"));
  EXPECT_THAT(run({"runs", "delete", "nosuch"}).err, HasSubstr("there is no run 'nosuch'"));
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").size(), 1U);
  EXPECT_EQ(run({"runs", "delete", "first", "--yes"}).exitCode, 0);
  EXPECT_EQ(run({"runs", "list", "--archived", "--json"}).json().at("runs").size(), 0U);
}

TEST_F(StoredRunsTest, OnlyTheBestCheckpointStaysIfAskedForAndTheRoomIsTold) {
  storeRun("first", 0.25);
  {
    const auto opened = checked(Workspace::open(workspace()));
    const auto writer = checked(RunWriter::open(*opened, (*opened)->findRun("first")->summary.id, {}));
    for (const auto& [batch, metric] : {std::pair{1, 2.5}, std::pair{2, 2.0}, std::pair{3, 3.0}, std::pair{4, 3.0}}) {
      CheckpointRecord record;
      record.id = newRecordId();
      record.at.batch = record.at.step = batch;
      record.file = "checkpoints/" + record.id + ".ckpt";
      record.reason = CheckpointReason::Interval;
      record.metric = metric;
      record.pinned = batch == 4;
      auto file = checked(CheckpointWriter::create((*opened)->folder() / record.file, 64));
      const std::array<std::byte, 64> bytes{};
      ASSERT_TRUE(file->add({"model/weight", "bytes", {}, 64}, bytes).ok());
      ASSERT_TRUE(file->finish({}).ok());
      record.bytes = 64;
      ASSERT_TRUE((*writer)->addCheckpoint(record).ok());
      ASSERT_TRUE(!record.pinned || (*opened)->setPinned(record.id, true).ok());
    }
    (*writer)->publish(RunFinished{RunStatus::Finished, "max_duration reached", {}, ""});
    ASSERT_TRUE((*writer)->flush().ok());
  }
  const json use = run({"store", "usage", "--json"}).json();
  const std::int64_t each = use.at("checkpoints").get<std::int64_t>() / 4;
  EXPECT_GE(each, 64);
  EXPECT_EQ(use.at("runs").at(0).at("bytes"), 4 * each);
  EXPECT_GT(use.at("database"), 0);
  const ProgramResult asked = run({"checkpoints", "keep-best", "first"});
  EXPECT_EQ(asked.exitCode, 2);
  EXPECT_THAT(asked.err, HasSubstr("2 checkpoints and frees " + formatBytes(2 * each)));
  EXPECT_EQ(run({"checkpoints", "keep-best", "first", "first", "--yes", "--json"}).json().at("bytes"), 2 * each);
  const json left = run({"checkpoints", "list", "first", "--json"}).json().at("checkpoints");
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left.at(0).at("metric"), 2.0);
  EXPECT_TRUE(left.at(1).at("pinned"));
  EXPECT_EQ(run({"checkpoints", "keep-best", "first"}).exitCode, 0) << "nothing is left to delete";
  run({"runs", "archive", "first"});
  EXPECT_THAT(run({"runs", "list", "--archived"}).out, HasSubstr("finished, archived"));
  EXPECT_EQ(run({"store", "usage", "--json"}).json().at("archived"), 2 * each);
  EXPECT_EQ(run({"runs", "restore", "first"}).exitCode, 0);
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").size(), 1U);
  EXPECT_EQ(run({"runs", "delete", "first", "--yes", "--json"}).json().at("bytes"), 2 * each);
}

TEST_F(StoredRunsTest, RunsGetNamesTagsAndNotes) {
  const std::string id = storeRun("first", 0.25);
  EXPECT_EQ(run({"runs", "tag", "first", "ramp", "draft", "--json"}).json().at("tags"), (json{"ramp", "draft"}));
  EXPECT_EQ(run({"runs", "tag", "first", "--without", "draft", "--json"}).json().at("tags"), (json{"ramp"}));
  EXPECT_EQ(run({"runs", "note", "first", "wrong corpus", "--json"}).json().at("note"), "wrong corpus");
  EXPECT_EQ(run({"runs", "rename", "first", "baseline", "--json"}).json().at("name"), "baseline");
  EXPECT_THAT(run({"runs", "show", "baseline"}).out,
              testing::AllOf(HasSubstr("tags: ramp"), HasSubstr("note: wrong corpus")));
  EXPECT_EQ(run({"runs", "note", "baseline", "--json"}).json().at("note"), "");
  EXPECT_EQ(run({"runs", "rename", id, "latest"}).exitCode, 2);
}

TEST_F(StoredRunsTest, ChecksAndCopiesTheStore) {
  storeRun("first", 0.25);
  EXPECT_EQ(run({"checkpoints", "list", "first", "--json"}).json().at("checkpoints"), json::array());
  const ProgramResult checked = run({"store", "check", "--json"});
  EXPECT_EQ(checked.exitCode, 0) << checked.out;
  EXPECT_EQ(checked.json(), (json{{"schema", "batchwise.store_check/1"},
                                  {"ok", true},
                                  {"problems", json::array()},
                                  {"notes", json::array()},
                                  {"unread_checkpoints", 0}}));
  std::ofstream(workspace() / "checkpoints/nosuchrunnow-0-4.sqlite") << "left";
  const ProgramResult noted = run({"store", "check"});
  EXPECT_EQ(noted.exitCode, 0) << "a file that nothing names is no damage";
  EXPECT_THAT(noted.out, testing::AllOf(HasSubstr("in order"), HasSubstr("note: no entry names 'checkpoints/nosuch")));
  const std::string copy = (folder_ / "copy.sqlite").string();
  EXPECT_EQ(run({"store", "backup", copy}).exitCode, 0);
  EXPECT_GT(std::filesystem::file_size(copy), 0U);
}

/// What the plain program `sqlite3` says of the database.
std::string integrityOf(const std::filesystem::path& file) {
  const std::string command = "sqlite3 '" + file.native() + "' 'PRAGMA integrity_check'";
  FILE* judge = ::popen(command.c_str(), "r");
  char answer[64] = {};
  if (judge == nullptr || std::fgets(answer, sizeof answer, judge) == nullptr) return "no answer";
  ::pclose(judge);
  return answer;
}

TEST_F(StoredRunsTest, ADamagedDatabaseIsRestoredFromItsBackup) {
  const std::string id = storeRun("first", 0.25);
  const ProgramResult made = run({"store", "backup", "--json"});
  ASSERT_EQ(made.exitCode, 0) << made.err;
  const json listed = run({"store", "backup", "--list", "--json"}).json();
  ASSERT_EQ(listed.at("backups").size(), 1U);
  EXPECT_EQ(listed.at("backups").at(0).at("file"), made.json().at("file"));
  EXPECT_THAT(run({"store", "restore"}).out, HasSubstr("is intact and stays"));
  const std::filesystem::path file = workspace() / "workspace.sqlite";
  std::string bytes = *readFile(file);
  for (std::size_t at = 2 * 4096; at < bytes.size(); at += 4096) bytes.replace(at, 2000, 2000, '\xa5');
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_NE(integrityOf(file), "ok\n");
  const ProgramResult refused = run({"runs", "list"});
  EXPECT_NE(refused.exitCode, 0);
  EXPECT_THAT(refused.err, HasSubstr("store restore"));
  const ProgramResult restored = run({"store", "restore"});
  EXPECT_EQ(restored.exitCode, 0) << restored.err;
  EXPECT_THAT(restored.out,
              testing::AllOf(HasSubstr("restored the backup of "), HasSubstr("the former database is now "),
                             HasSubstr("missing: what was recorded after ")));
  EXPECT_EQ(integrityOf(file), "ok\n");
  EXPECT_EQ(run({"runs", "list", "--json"}).json().at("runs").at(0).at("id"), id);
  EXPECT_EQ(run({"store", "check"}).exitCode, 0);
}

TEST_F(StoredRunsTest, AWorkspaceThatCannotBeMadeIsRefused) {
  const ProgramResult result = runProgram(folder_.path(), {"runs", "sync", "--json", "--workspace", "/proc/nowhere"});
  EXPECT_NE(result.exitCode, 0);
  EXPECT_THAT(result.err, HasSubstr("/proc/nowhere"));
  EXPECT_EQ(result.json().at("code"), "not_found");
}

TEST_F(StoredRunsTest, ADatabaseOfAnotherProgramIsLeftAlone) {
  std::filesystem::create_directories(workspace());
  const std::string foreign = "SQLite format 3" + std::string(1, '\0') + std::string(4080, 'x');
  std::ofstream(workspace() / "workspace.sqlite", std::ios::binary) << foreign;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"runs", "list"}, {"train", "demo"}, {"store", "check"}}) {
    const ProgramResult result = run(command);
    EXPECT_NE(result.exitCode, 0);
    EXPECT_NE(result.err, "");
  }
  EXPECT_EQ(contentOf(workspace() / "workspace.sqlite"), foreign);
}

}  // namespace
}  // namespace batchwise::test
