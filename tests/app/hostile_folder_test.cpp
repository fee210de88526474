// SPDX-License-Identifier: GPL-3.0-or-later
// Commands in a workspace from elsewhere, run as a user would: a clear error and exit code, nothing outside is touched,
// and each ends soon and with little memory.
#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>

#include "core/base/file.h"
#include "core/store/workspace.h"
#include "tests/app/command_fixture.h"
#include "tests/store/forged_rows.h"
#include "tests/support/resource_usage.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class HostileFolderTest : public CommandTest {
 protected:
  HostileFolderTest() {
    const auto opened = Workspace::open(workspace());
    NewRun run;
    run.name = "run";
    EXPECT_TRUE(opened.ok() && (*opened)->createRun(run).ok());
  }
  /// Written with checksums that fit.
  void forge(const std::string& sql) { forgeRows(workspace() / "workspace.sqlite", sql); }
  ProgramResult runBounded(const std::vector<std::string>& arguments) {
    const auto started = std::chrono::steady_clock::now();
    ProgramResult result = run(arguments);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds{10}) << arguments[0];
    EXPECT_LT(test::peakKilobytes(RUSAGE_CHILDREN), test::kMaxKilobytes) << arguments[0];
    return result;
  }
};

TEST_F(HostileFolderTest, AForgedJournalIsRefusedByEveryCommand) {
  // SQLite's file format, section 3: no page, and a super-journal, which SQLite would delete.
  const std::string victim = write("victim", "mine");
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::string journal = magic;
  journal.resize(512);
  journal[15] = 1;
  journal[19] = 30;
  journal[22] = 2;
  journal[26] = 16;
  std::uint32_t sum = 0;
  for (const char c : victim) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
  const auto number = [](std::uint32_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                       static_cast<char>(value)};
  };
  journal +=
      number((1U << 30) / 4096 + 1) + victim + number(static_cast<std::uint32_t>(victim.size())) + number(sum) + magic;
  write("workspace/workspace.sqlite-journal", journal);
  for (const char* command : {"runs list", "runs show run", "runs delete run", "store check", "store restore",
                              "checkpoints list run", "queue list", "runs sync"}) {
    const auto result = run(words(command));
    EXPECT_EQ(result.exitCode, 1) << command;
    EXPECT_THAT(result.err, HasSubstr("is a rollback journal")) << command;
    ASSERT_EQ(*readFile(victim), "mine") << command;
  }
}

TEST_F(HostileFolderTest, DeepAndWideJsonIsNotParsed) {
  const std::string row = "INSERT INTO segment SELECT number, 0, '{}', 0, 0, '', 0, '', 0, % FROM run";
  const auto withEnvironment = [&](const std::string& expression) {
    std::string sql = "DELETE FROM segment; " + row;
    return sql.replace(sql.find('%'), 1, expression);
  };
  for (const std::string expression :
       {"replace(hex(zeroblob(4000000)), '0', '[')", "'[' || replace(hex(zeroblob(4000000)), '0', '[],') || '0]'",
        "'{\"a\":' || replace(hex(zeroblob(2000000)), '0', '{\"a\":')"}) {
    forge(withEnvironment(expression));
    for (const char* option : {"", "--json"}) {
      std::vector<std::string> command{"runs", "show", "run"};
      if (*option != '\0') command.emplace_back(option);
      const auto result = runBounded(command);
      EXPECT_EQ(result.exitCode, 0) << result.err;
      if (*option != '\0') {
        EXPECT_TRUE(result.json()["segments"][0]["environment"].is_null());
      }
    }
  }
}

TEST_F(HostileFolderTest, ACheckpointOutsideIsRefused) {
  write("outside.sqlite", "mine");
  forge(
      "INSERT INTO checkpoint SELECT 1, 'c1', number, 0, '{}', 'checkpoints/../../outside.sqlite', 4, 1, 'end', NULL, "
      "0, 0, 1 FROM run");
  for (const std::string& command :
       {std::string("checkpoints list run"), std::string("checkpoints verify run"),
        std::string("checkpoints delete c1"), "export run --archive " + (folder_ / "a.bwr").string()}) {
    EXPECT_NE(runBounded(words(command)).exitCode, 0) << command;
    EXPECT_EQ(*readFile(folder_ / "outside.sqlite"), "mine");
  }
}

}  // namespace
}  // namespace batchwise::test
