// SPDX-License-Identifier: GPL-3.0-or-later
// Names that try to be something else: refused with the reason, or plain text wherever they appear.
#include <algorithm>

#include "core/store/metrics/metrics_csv.h"
#include "core/store/workspace.h"
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
    ASSERT_EQ(run({"export", id, "--archive", archive}).exitCode, 0);
    EXPECT_EQ(run({"import", archive, "--json"}).json().at("name"),
              (name.size() < 200 ? name : std::string(198, 'x')) + "-2");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(run({"runs", "delete", "latest", "--yes"}).exitCode, 0);
    EXPECT_TRUE(run({"runs", "list", "--json"}).json().at("runs").empty());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "pwned"));
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
