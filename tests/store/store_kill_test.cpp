// SPDX-License-Identifier: GPL-3.0-or-later
// What the store has acknowledged survives kill -9 at any time, and several processes may write at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include "core/store/checkpoints/checkpoint_file.h"
#include "tests/store/store_fixture.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::IsEmpty;

/// A writing child and what it says.
class Child {
 public:
  Child(const std::filesystem::path& folder, const std::string& run, std::int64_t rows, std::int64_t group) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl(STORE_WRITER_CHILD, STORE_WRITER_CHILD, folder.c_str(), run.c_str(), std::to_string(rows).c_str(),
              std::to_string(group).c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    ::kill(process_, SIGKILL);
    wait();
    ::close(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void waitUntilReady() {
    char byte = 0;
    while (::read(output_, &byte, 1) == 1 && byte != '\n') said_.push_back(byte);
    said_.push_back('\n');
  }
  void kill() {
    ::kill(process_, SIGKILL);
    wait();
  }
  int exitCode() {
    readAll();
    wait();
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }
  std::string said() {
    readAll();
    return said_;
  }

 private:
  void wait() {
    if (process_ > 0 && !waited_) ::waitpid(process_, &status_, 0);
    waited_ = true;
  }
  void readAll() {
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(output_, buffer, sizeof buffer)) > 0;)
      said_.append(buffer, static_cast<std::size_t>(got));
  }

  pid_t process_ = -1;
  int output_ = -1;
  int status_ = 0;
  bool waited_ = false;
  std::string said_;
};

struct SaidBeforeTheKill {
  std::int64_t row = 0;
  std::vector<std::string> checkpoints;
};

void add(SaidBeforeTheKill& known, const std::string& said) {
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (lines.eof()) break;  // cut by the kill
    std::istringstream words(line);
    std::string what, value;
    words >> what >> value;
    if (what == "row") known.row = std::stoll(value);
    if (what == "checkpoint") known.checkpoints.push_back(value);
  }
}

void expectWhole(const Workspace& workspace, const std::string& run, const SaidBeforeTheKill& known) {
  const auto found = workspace.findRun(run);
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->summary.status, RunStatus::Interrupted);
  const auto loss = workspace.series(found->summary.id, "loss");
  ASSERT_TRUE(loss.ok()) << loss.error().text();
  ASSERT_GE(static_cast<std::int64_t>(loss->size()), known.row);
  for (std::size_t i = 0; i < loss->size(); ++i) {
    ASSERT_EQ(loss->at(i).batch, static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(loss->at(i).value, rowOf(loss->at(i).batch).loss);
  }
  for (const std::string& id : known.checkpoints) {
    const auto record = workspace.findCheckpoint(id);
    ASSERT_TRUE(record.ok()) << record.error().text();
    const auto reader = CheckpointReader::open(workspace.folder() / record->file);
    ASSERT_TRUE(reader.ok()) << reader.error().text();
    ASSERT_TRUE(reader->verify().ok());
  }
  EXPECT_THAT(*workspace.check(), IsEmpty());
}

TEST(StoreKillTest, NothingAcknowledgedIsLost) {
  std::mt19937_64 random(11);
  constexpr int kKillsPerRun = 15;
  const std::string run = "run";
  std::optional<TempFolder> folder;
  SaidBeforeTheKill known;
  std::int64_t acknowledged = 0;
  for (int kill = 0; kill < repeats(100, 1000); ++kill) {
    if (kill % kKillsPerRun == 0) {
      folder.emplace();
      known = {};
    }
    Child child(*folder / "w", run, 0, 40 + static_cast<std::int64_t>(random() % 400));
    if (kill % 5 != 0) child.waitUntilReady();  // every fifth is hit while it opens
    std::this_thread::sleep_for(std::chrono::microseconds{random() % 40'000});
    child.kill();
    add(known, child.said());
    const auto workspace = openStore(*folder / "w");
    if (known.row == 0 && !workspace->findRun(run).ok()) continue;
    if (workspace->findRun(run)->summary.status == RunStatus::Created) continue;
    ASSERT_NO_FATAL_FAILURE(expectWhole(*workspace, run, known)) << "after kill " << kill;
    acknowledged = std::max(acknowledged, known.row);
  }
  EXPECT_GT(acknowledged, 2048) << "the kills must reach the sealing of blocks";
}

TEST(StoreConcurrencyTest, ProcessesThatStartTogetherShareOneWorkspace) {
  const TempFolder folder;
  constexpr std::int64_t kRowsWritten = 2500;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 3; ++i)  // all find an empty folder
    children.push_back(std::make_unique<Child>(folder / "w", "child" + std::to_string(i), kRowsWritten, 50));
  const auto workspace = openStore(folder / "w");
  const std::string own = makeRun(*workspace, "own");
  {
    const auto writer = startRun(workspace, own);
    for (std::int64_t batch = 1; batch <= kRowsWritten; ++batch) {
      writer->publish(rowOf(batch));
      if (batch % 100 == 0) {
        ASSERT_TRUE(writer->flush().ok());
      }
    }
  }
  for (auto& child : children) EXPECT_EQ(child->exitCode(), 0);
  for (const std::string& name :
       {std::string{"own"}, std::string{"child0"}, std::string{"child1"}, std::string{"child2"}}) {
    const auto run = workspace->findRun(name);
    ASSERT_TRUE(run.ok()) << name;
    const auto loss = workspace->series(run->summary.id, "loss");
    ASSERT_TRUE(loss.ok());
    EXPECT_EQ(static_cast<std::int64_t>(loss->size()), kRowsWritten) << name;
    if (name != "own") {
      EXPECT_EQ(run->summary.status, RunStatus::Finished) << name;
    }
  }
  EXPECT_THAT(*workspace->check(), IsEmpty());
}

}  // namespace
}  // namespace batchwise::test
