// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/store/checkpoints/checkpoint_file.h"
#include "tests/store/store_fixture.h"

namespace batchwise::test {

/// A process that writes (store_writer_child) and what it acknowledges.
class WriterProcess {
 public:
  WriterProcess(const std::filesystem::path& folder, const std::string& run, std::int64_t rows, std::int64_t group) {
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
  ~WriterProcess() {
    ::kill(process_, SIGKILL);
    wait();
    ::close(output_);
  }
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;

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

/// What a process acknowledged before it was killed.
struct Acknowledged {
  std::int64_t row = 0;
  std::vector<std::string> checkpoints;
};

inline void add(Acknowledged& known, const std::string& said) {
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

inline void expectWhole(const Workspace& workspace, const std::string& run, const Acknowledged& known) {
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
  EXPECT_THAT(*workspace.check(), testing::IsEmpty());
}

}  // namespace batchwise::test
