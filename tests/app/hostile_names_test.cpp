// SPDX-License-Identifier: GPL-3.0-or-later
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/store/integrity.h"
#include "core/store/journal/journal.h"
#include "core/store/metrics/metrics_csv.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "core/store/workspace_state.h"
#include "tests/app/command_fixture.h"
#include "tests/app/stored_run_fixture.h"
#include "tests/support/checked.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// Names that try to be something else: refused with the reason, or plain text wherever they appear.

const std::vector<std::string> kPlain = {"../../etc/passwd",
                                         "/etc/passwd",
                                         "C:\\con.txt",
                                         "'; DROP TABLE run; --",
                                         "\" OR 1=1",
                                         "%s%n%x",
                                         "<script>alert(1)</script>",
                                         "<img src=x onerror=alert(1)>",
                                         "&lt;b&gt;",
                                         "$(touch pwned) `id`",
                                         "=1+1",
                                         "@SUM(A1)",
                                         "-rf",
                                         "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",
                                         "\xF0\x9F\x98\x80 \xE4\xB8\xAD",
                                         std::string(200, 'x')};

const std::vector<std::pair<std::string, std::string>> kRefused = {{"a\nb", "control character"},
                                                                   {"a\tb", "control character"},
                                                                   {"\x1B[31mred", "control character"},
                                                                   {"\xC2\x9B"
                                                                    "31m",
                                                                    "control character"},
                                                                   {"a\x7F", "control character"},
                                                                   {"a\xE2\x80\xA8"
                                                                    "b",
                                                                    "control character"},
                                                                   {"\xE2\x80\xAEgnp.exe", "direction"},
                                                                   {"\xE2\x81\xA7x", "direction"},
                                                                   {std::string(300, 'x'), "at most 200"}};

class HostileNamesTest : public CommandTest {
 protected:
  /// JSON texts are YAML texts.
  std::string configWith(const std::string& name, const std::string& tag) {
    return write("run.yaml", "max_duration: 4ba\nscheduler: constant\nname: " + json(name).dump() +
                                 "\nlaunch: {tags: [" + json(tag).dump() + "]}\n");
  }

  std::string storeRun(const std::string& name) {
    const auto opened = Workspace::open(workspace());
    NewRun run;
    run.name = name;
    run.configYaml = "name: " + json(name).dump() + "\n";
    run.resolvedYaml = run.configYaml;
    run.tags = {name};
    run.why = name;
    const auto id = (*opened)->createRun(run);
    EXPECT_TRUE(id.ok()) << id.error().text();
    EXPECT_TRUE((*opened)->setNote(*id, name).ok());
    return *id;
  }

  static std::size_t linesIn(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(HostileNamesTest, WhatIsNoPlainLineIsRefusedWithTheReason) {
  for (const auto& [name, reason] : kRefused) {
    SCOPED_TRACE(json(name).dump());
    const auto expectRefused = [&, &expected = reason](const std::string& file) {
      const ProgramResult result = run({"config", "check", file});
      EXPECT_EQ(result.exitCode, 2);
      EXPECT_THAT(result.out + result.err, HasSubstr(expected));
      EXPECT_EQ((result.out + result.err).find('\x1B'), std::string::npos);
    };
    expectRefused(configWith(name, "a"));
    expectRefused(configWith("a", name));
    const auto opened = Workspace::open(workspace());
    NewRun hostile;
    hostile.name = name;
    EXPECT_FALSE((*opened)->createRun(hostile).ok());
  }
  EXPECT_TRUE(run({"runs", "list", "--json"}).json().at("runs").empty());
}

TEST_F(HostileNamesTest, PlainNamesStayTextEverywhere) {
  for (const std::string& name : kPlain) {
    SCOPED_TRACE(name);
    EXPECT_EQ(run({"config", "check", configWith(name, name)}).exitCode, 0);
    const std::string id = storeRun(name);
    const json listed = run({"runs", "list", "--json"}).json().at("runs").at(0);
    EXPECT_EQ(listed.at("name"), name);
    EXPECT_EQ(listed.at("tags"), json{name});
    EXPECT_EQ(listed.at("note"), name);
    EXPECT_EQ(linesIn(run({"runs", "list"}).out), 2U);
    EXPECT_THAT(run({"runs", "show", id}).out, HasSubstr(name));
    if (name.front() != '-') {
      EXPECT_EQ(run({"runs", "show", name, "--json"}).json().at("run").at("id"), id);
    }
    const std::string archive = (folder_ / "run.archive").string();
    ASSERT_EQ(run({"export", id, "--archive", archive, "--force"}).exitCode, 0);
    EXPECT_EQ(run({"import", archive, "--json"}).json().at("name"),
              (name.size() < 200 ? name : std::string(198, 'x')) + "-2");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(run({"runs", "delete", "latest", "--yes"}).exitCode, 0);
    EXPECT_TRUE(run({"runs", "list", "--json"}).json().at("runs").empty());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "pwned"));
}

/// A text that colors, clears, hides and turns: what no terminal may get.
const std::string kSteering = std::string("a\x1B[31m\x1B]0;t\x07\x08\r\x7F") + "\xC2\x9B" + "2J" + "\xE2\x80\xAE" +
                              "b" + "\xE2\x81\xA6" + "\xD8\x9C" + "\xE2\x80\xA8" + "\xFF" + "\xC2";

/// The first control character (line ends and tabs aside) or character that turns text, as a number.
std::optional<std::uint32_t> steeringIn(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = decodeUtf8(text.substr(i));
    const std::uint32_t c = step.codePoint;
    const bool lineEnd = c == '\n' || c == '\t' || text.substr(i).starts_with("\r\n");
    if ((c < 0x20 && !lineEnd) || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
        (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || !step.wellFormed)
      return c;
    i += static_cast<std::size_t>(step.bytes);
  }
  return std::nullopt;
}

/// A workspace in which every text that nothing checks, down to the names of files, is kSteering.
class SteeringTextsTest : public HostileNamesTest {
 protected:
  void SetUp() override {
    id_ = storeRun("run");
    const auto opened = Workspace::open(workspace());
    std::filesystem::create_directories(workspace() / "checkpoints");
    std::ofstream(workspace() / "checkpoints/c.sqlite") << "no checkpoint";
    {
      const auto writer = checked(RunWriter::open(*opened, id_, {{}, kSteering, kSteering, ""}));
      CheckpointRecord record;
      record.id = "c";
      record.file = "checkpoints/c.sqlite";
      ASSERT_TRUE((*writer)->addCheckpoint(record).ok());
      (*writer)->publish(RunNote{NoteLevel::Warning, kSteering, {}});
      MetricsRow row;
      row.at = Timestamp{}.afterStep({32, 320, 0.5}, 32).afterBatch();
      row.devices = {{kSteering, 1, 1, 1, 1}};
      (*writer)->publish(row);
      (*writer)->publish(RunFinished{RunStatus::Failed, kSteering, row.at, kSteering});
      ASSERT_TRUE((*writer)->flush().ok());
    }
    ASSERT_TRUE((*opened)->saveSetting("queue.held", id_).ok());
    {
      const auto journal = checked(JournalWriter::create(workspace(), "journalrunid", {}, {}));
      (*journal)->publish(RunNote{NoteLevel::Info, kSteering, {}});
      (*journal)->publish(RunFinished{RunStatus::Failed, kSteering, {}, ""});
    }
    std::ofstream(workspace() / "runs" / ("x" + kSteering + ".jsonl")) << std::string(100, 'x');
  }
  /// The program refuses such names; somebody else's workspace may hold them all the same.
  void putSteeringTexts() const {
    const auto opened = checked(Workspace::open(workspace()));
    const auto written = checked((*opened)->state().write([](SQLite::Database& database) -> Result<void> {
      for (const char* change :
           {"UPDATE run SET name=?1||number, reason=?1, note=?1, why=?1, config_yaml=?1, resolved_yaml=?1, "
            "parent=?1, queue_position=number",
            "UPDATE run_tag SET tag=?1||position",
            "INSERT INTO run_value(run, name, value) SELECT number, ?1, ?1 FROM run",
            "INSERT INTO run_reference(run, name, value) SELECT number, ?1, 1.0 FROM run",
            "UPDATE segment SET environment=?1, checkpoint=?1, host=?1",
            "UPDATE series SET name=name||?1 WHERE name<>'loss'", "UPDATE checkpoint SET reason=?1"}) {
        SQLite::Statement statement(database, change);
        statement.bind(1, kSteering);
        statement.exec();
      }
      for (std::int64_t run = 1; run <= 2; ++run) storeChecksums(database, run);
      return {};
    }));
  }
  std::string id_;
};

TEST_F(SteeringTextsTest, NoneReachesTheTerminal) {
  const std::string other = storeRun("other");
  putSteeringTexts();
  const std::string odd = (folder_ / ("no" + kSteering)).string();
  const std::vector<std::vector<std::string>> commands = {
      {"runs", "list"},
      {"runs", "show", id_},
      {"runs", "show", kSteering},
      {"runs", "compare", id_, other},
      {"runs", "diff", id_, other},
      {"runs", "sync"},
      {"runs", "send", id_, "stop"},
      {"runs", "tag", id_, "plain"},
      {"runs", "rename", id_, "x" + kSteering},
      {"runs", "note", id_, kSteering},
      {"runs", "archive", other},
      {"metrics", id_},
      {"metrics", id_, "--csv"},
      {"checkpoints", "list", id_},
      {"checkpoints", "list"},
      {"checkpoints", "verify", id_},
      {"queue", "list"},
      {"queue", "run"},
      {"store", "check"},
      {"store", "restore"},
      {"resume", id_},
      {"prepare", odd},
      {"batches", odd},
      {"plan-scale", odd},
      {"find-batch", odd},
      {"sweep", odd},
      {"doctor"},
      {"fill-mask", id_, kSteering + " [MASK]"},
      {"export", id_, "--archive", odd + "/x"},
      {"import", odd},
      {"config", "check", odd},
      {"config", "check", write("steer.yaml", "max_duration: 4ba\n\"" + std::string("\\e[31m\\u202e") + "\": 1\n")},
      {"config", "import", odd},
      {"preview", "demo", "--set", kSteering + "=1"},
      {"train", "demo", "--set", "name=" + kSteering},
      {"no" + kSteering},
      {"runs", "list", "--" + kSteering},
  };
  for (std::vector<std::string> command : commands)
    for (const bool asJson : {false, true}) {
      if (asJson) command.emplace_back("--json");
      const ProgramResult result = run(command);
      SCOPED_TRACE(json(command).dump(-1, ' ', true, json::error_handler_t::replace));
      EXPECT_LE(result.exitCode, 3);
      EXPECT_FALSE(steeringIn(result.out))
          << *steeringIn(result.out) << ": " << json(result.out).dump(-1, ' ', true, json::error_handler_t::replace);
      EXPECT_FALSE(steeringIn(result.err))
          << *steeringIn(result.err) << ": " << json(result.err).dump(-1, ' ', true, json::error_handler_t::replace);
    }
  const ProgramResult shown = run({"runs", "show", id_});
  EXPECT_THAT(shown.out, HasSubstr("<U+001B>[31m")) << "it is not hidden either";
  const json asJson = run({"runs", "show", id_, "--json"}).json();
  EXPECT_THAT(asJson.dump(-1, ' ', false, json::error_handler_t::replace), HasSubstr("\xE2\x80\xAE"))
      << "JSON says what is stored";
}

TEST_F(HostileNamesTest, ATableForSpreadsheetsHoldsNoFormula) {
  for (const char* name : {"=1+1", "+1", "-1", "@SUM(A1)", "\tx"}) {
    const std::string csv = metricsCsv({{name, {{1, 2.0}}}});
    EXPECT_THAT(csv, HasSubstr(",'" + std::string(name)));
  }
  EXPECT_THAT(metricsCsv({{"a,\"b\r\n", {{1, 2.0}}}}), HasSubstr(",\"a,\"\"b\r\n\"\r\n"));
}

TEST(MetricsCsvTest, StepsHaveRowsAndAColumnOfTheirOwn) {
  EXPECT_EQ(metricsCsv({{"loss", {{1, 4.0}, {2, 3.0}}}, {"eval.loss", {{2, 3.5}}}}),
            "ba,loss,eval.loss\r\n1,4,\r\n2,3,3.5\r\n");
  EXPECT_EQ(metricsCsv({{"loss", {{1, 4.0}, {2, 3.0}}}, {"step.loss", {{1, 4.5}, {2, 3.5}, {3, 3.0}}}}),
            "ba,step,loss,step.loss\r\n1,,4,\r\n2,,3,\r\n,1,,4.5\r\n,2,,3.5\r\n,3,,3\r\n");
}

// One rule for every file that a command writes: over one that is there only with --force.

/// A command that writes one file, up to the name of the file.
struct Form {
  const char* name;
  Words command;
  std::string ending;
};

class OutputFilesTest : public StoredRunFixture {
 protected:
  OutputFilesTest() {
    storeRun("base", 0.25);
    other_ = write("deepspeed.json", R"({"train_batch_size": 48, "gradient_clipping": 0.5})");
  }

  std::vector<Form> forms() const {
    return {{"csv", {"export", "base", "--csv"}, ".csv"},
            {"archive", {"export", "base", "--archive"}, ".batchwise"},
            {"svg", {"export", "base", "--chart"}, ".svg"},
            {"page", {"export", "base", "--report"}, ".html"},
            {"report", {"runs", "compare", "base", "--report"}, ".html"},
            {"comparison", {"runs", "compare", "base", "--chart"}, ".svg"},
            {"points", {"runs", "compare", "base", "--points"}, ".csv"},
            {"groups", {"runs", "compare", "base", "--group-by", "seed", "--group-points"}, ".csv"},
            {"import", {"config", "import", other_, "--output"}, ".yaml"}};
  }

  ProgramResult writeTo(const Form& form, const fs::path& file, const Words& more = {}) const {
    Words words = form.command;
    words.push_back(file.string());
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  std::string other_;
};

TEST_F(OutputFilesTest, AFileThatIsThereNeedsForce) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    const fs::path file = write(std::string("mine-") + form.name + form.ending, "mine\n");
    const ProgramResult refused = writeTo(form, file);
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, HasSubstr("replace it with --force"));
    EXPECT_EQ(contentOf(file), "mine\n");
    const ProgramResult forced = writeTo(form, file, {"--force"});
    ASSERT_EQ(forced.exitCode, 0) << forced.err;
    const std::string written = contentOf(file);
    EXPECT_NE(written, "mine\n");
    EXPECT_EQ(writeTo(form, file).exitCode, 2) << "an earlier export is a file too";
    EXPECT_EQ(contentOf(file), written);
  }
  const std::string copy = write("copy.sqlite", "mine");
  EXPECT_EQ(run({"store", "backup", copy}).exitCode, 2);
  EXPECT_EQ(contentOf(copy), "mine");
}

TEST_F(OutputFilesTest, ALinkIsWrittenThroughOnlyWithForce) {
  const fs::path target = write("target.csv", "mine"), link = folder_ / "link.csv";
  fs::create_symlink("target.csv", link);
  const Form csv = forms().front();
  EXPECT_THAT(writeTo(csv, link).err, HasSubstr("replace it with --force"));
  EXPECT_EQ(contentOf(target), "mine");
  EXPECT_EQ(writeTo(csv, link, {"--force"}).exitCode, 0);
  EXPECT_THAT(contentOf(target), testing::StartsWith("ba,"));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(OutputFilesTest, StreamsAreWrittenAsTheyAre) {
  const Form csv = forms().front();
  ASSERT_EQ(writeTo(csv, folder_ / "plain.csv").exitCode, 0);
  const ProgramResult streamed = writeTo(csv, "/dev/stdout");
  EXPECT_EQ(streamed.exitCode, 0) << streamed.err;
  EXPECT_EQ(streamed.out, contentOf(folder_ / "plain.csv")) << "and nothing else";
  EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
  const fs::path pipe = folder_ / "pipe", piped = folder_ / "piped.csv";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  RunningProgram program(
      folder_.path(), withWorkspace({"export", "base", "--csv", pipe.string()}),
      {"sh", "-c",
       "cat '" + pipe.string() + "' > '" + piped.string() + "' & \"$0\" \"$@\"; code=$?; wait; exit $code"});
  EXPECT_EQ(program.wait().exitCode, 0);
  EXPECT_EQ(contentOf(piped), streamed.out);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(OutputFilesTest, WithJsonNoFileIsWrittenToStdout) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    const ProgramResult refused = writeTo(form, "/dev/stdout", {"--json"});
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_EQ(refused.json().at("code"), "config");
    EXPECT_THAT(refused.err, HasSubstr("stdout holds the JSON"));
  }
  const ProgramResult beside = writeTo(forms().front(), "/dev/stderr", {"--json"});
  EXPECT_EQ(beside.exitCode, 0) << beside.err;
  EXPECT_EQ(beside.json().at("form"), "csv");
  EXPECT_THAT(beside.err, testing::StartsWith("ba,"));
}

TEST_F(OutputFilesTest, AFileThatGrowsBeyondItsLimitIsAnErrorAndLeavesNothing) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the limit ends the sanitizer's own start";
#endif
  std::string file =
      R"({"train_batch_size": 48, "zero_optimization": {"stage": 1}, "optimizer": {"type": "AdamW", "params": )"
      R"({"lr": 1e-3, "betas": [0.9, 0.98], "eps": 1e-6, "weight_decay": 0.01}}})";
  const std::string source = write("large.json", file), target = (folder_ / "large.yaml").string();
  RunningProgram program(folder_.path(), withWorkspace({"config", "import", source, "--output", target, "--json"}),
                         {"sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\""});
  EXPECT_EQ(program.wait().exitCode, 1) << "neither killed by SIGXFSZ nor done";
  EXPECT_FALSE(fs::exists(target));
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::StartsWith("large.yaml")));
}

}  // namespace
}  // namespace batchwise::test
