// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace batchwise::test {

/// All bytes of a file.
std::string contentOf(const std::filesystem::path& file);

/// What a finished program left.
struct ProgramResult {
  int exitCode = -1;  ///< 128 + signal if a signal ended it
  std::string out;
  std::string err;

  /// stdout as one JSON value; a discarded value if it is none.
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
  /// Each line of stdout as JSON.
  std::vector<nlohmann::json> jsonLines() const;
};

/// The command-line program as a process of its own, with stdout and stderr going to files in `folder`.
class RunningProgram {
 public:
  /// `launcher`: what is put before the program, as {"mpirun", "-n", "2"}; its first word is looked for on PATH.
  RunningProgram(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                 const std::vector<std::string>& launcher = {});
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// What has come on stdout, and on stderr, so far.
  std::string outSoFar() const;
  std::string errSoFar() const;
  /// Waits until stdout holds `text` or the program has ended; false in the second case.
  bool waitFor(const std::string& text);
  bool hasEnded() const;
  void signal(int number) const;
  /// Whether a signal was sent that the program has not taken yet; a second one would be lost.
  bool hasPending(int number) const;
  pid_t process() const { return process_; }
  ProgramResult wait();

 private:
  std::filesystem::path outFile_, errFile_;
  pid_t process_ = -1;
};

/// Runs the program to its end.
ProgramResult runProgram(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

}  // namespace batchwise::test
