// SPDX-License-Identifier: GPL-3.0-or-later
// Names that try to be something else: refused with the reason, or plain text wherever they appear.
#include <SQLiteCpp/SQLiteCpp.h>

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

namespace batchwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

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
      const auto writer = RunWriter::open(*opened, id_, {{}, kSteering, kSteering, ""});
      ASSERT_TRUE(writer.ok()) << writer.error().text();
      CheckpointRecord record;
      record.id = "c";
      record.file = "checkpoints/c.sqlite";
      record.reason = kSteering;
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
      const auto journal = JournalWriter::create(workspace(), "journalrunid", {}, {});
      ASSERT_TRUE(journal.ok());
      (*journal)->publish(RunNote{NoteLevel::Info, kSteering, {}});
      (*journal)->publish(RunFinished{RunStatus::Failed, kSteering, {}, ""});
    }
    std::ofstream(workspace() / "runs" / ("x" + kSteering + ".jsonl")) << std::string(100, 'x');
  }
  /// The program refuses such names; somebody else's workspace may hold them all the same.
  void putSteeringTexts() const {
    const auto opened = Workspace::open(workspace());
    ASSERT_TRUE(opened.ok());
    const auto written = (*opened)->state().write([](SQLite::Database& database) -> Result<void> {
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
    });
    ASSERT_TRUE(written.ok()) << written.error().text();
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

}  // namespace
}  // namespace batchwise::test
