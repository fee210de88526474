// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/store/records.h"

namespace batchwise::test {

std::string contentOf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<nlohmann::json> ProgramResult::jsonLines() const {
  std::vector<nlohmann::json> lines;
  std::istringstream stream(out);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line, nullptr, false));
  return lines;
}

RunningProgram::RunningProgram(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                               const std::vector<std::string>& launcher) {
  const std::string name = newRecordId();
  outFile_ = folder / ("out-" + name);
  errFile_ = folder / ("err-" + name);
  std::vector<std::string> words = launcher;
  words.push_back(BATCHWISE_PROGRAM);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, outFile_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, errFile_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int failed = posix_spawnp(&process_, argv.front(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + words.front());
}

RunningProgram::~RunningProgram() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::string RunningProgram::outSoFar() const {
  return contentOf(outFile_);
}

std::string RunningProgram::errSoFar() const {
  return contentOf(errFile_);
}

bool RunningProgram::waitFor(const std::string& text) {
  while (outSoFar().find(text) == std::string::npos) {
    if (hasEnded()) return outSoFar().find(text) != std::string::npos;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

bool RunningProgram::hasEnded() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

void RunningProgram::signal(int number) const {
  if (process_ > 0) kill(process_, number);  // -1 would be every process
}

bool RunningProgram::hasPending(int number) const {
  std::istringstream status(contentOf("/proc/" + std::to_string(process_) + "/status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("ShdPnd:")) return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) != 0;
  return false;
}

ProgramResult RunningProgram::wait() {
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contentOf(outFile_), contentOf(errFile_)};
}

ProgramResult runProgram(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  return RunningProgram(folder, arguments).wait();
}

}  // namespace batchwise::test
