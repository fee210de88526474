// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/test_environment.h"

namespace batchwise::test {

/// Fake Slurm cluster: its commands as scripts in front of PATH. The queue is set by setQueue(); sbatch prints job id
/// 41 and starts nothing. Create one at a time, before any thread reads the environment.
class ScriptedSlurm {
 public:
  ScriptedSlurm() {
    script("sinfo", "echo 'main*|up|4|1:00:00|gpu:2|8'; echo 'night|up|2|infinite|(null)|8'");
    script("sbatch", "echo \"$*\" >>'" + file("sbatch.calls") + "'; echo 41");
    answerAgain();
    script("scancel", "echo \"$*\" >>'" + file("scancel.calls") + "'");
    script("scontrol", "cat '" + file("ended") + "'");
    script("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1");
    script("batchwise", "exit 1");
    std::ofstream(folder_ / "libbatchwise_trainer.so") << "";
    setQueue("");
    setNames("");
    setEnded("");
    path_ = std::getenv("PATH");
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
    setenv("BATCHWISE_PROGRAM", file("batchwise").c_str(), 1);
  }
  ~ScriptedSlurm() {
    setenv("PATH", path_.c_str(), 1);
    unsetenv("BATCHWISE_PROGRAM");
  }
  ScriptedSlurm(const ScriptedSlurm&) = delete;
  ScriptedSlurm& operator=(const ScriptedSlurm&) = delete;

  /// Sets what squeue prints about jobs, whatever name is asked for: lines "41|PENDING|Resources".
  void setQueue(const std::string& lines) { replace("jobs", lines); }
  /// Sets this user's jobs and tasks: lines "41|batchwise-RUN".
  void setNames(const std::string& lines) { replace("names", lines); }
  /// Sets what the controller reports about a job that has left the queue: a line as of `scontrol show job -o`.
  void setEnded(const std::string& line) { replace("ended", line); }
  /// Makes a command fail with the message `why`, after recording the call.
  void fail(const std::string& name, const std::string& why) {
    script(name, "echo \"$*\" >>'" + file(name + ".calls") + "'; echo '" + why + "' >&2; exit 1");
  }
  /// Sets what sacct prints about jobs: lines "FAILED|7:0|node1".
  void setAccounting(const std::string& lines) {
    replace("accounted", lines);
    script("sacct", "cat '" + file("accounted") + "'");
  }
  /// Makes squeue answer as set by setQueue().
  void answerAgain() { script("squeue", squeueText()); }
  /// Makes a command hang for 25 s, after recording the call: longer than a caller told to stop should wait, shorter
  /// than the half a minute that others wait.
  void hang(const std::string& name) {
    script(name, "echo \"$*\" >>'" + file(name + ".calls") + "'; sleep 25 >/dev/null 2>&1; : >'" +
                     file(name + ".answered") + "'");
  }
  /// Returns true if a caller has waited until a hanging command answered.
  bool hasAnswered(const std::string& name) const { return std::filesystem::exists(folder_ / (name + ".answered")); }
  /// Returns the arguments of the recorded calls of sbatch, squeue or scancel, one line per call.
  std::string calls(const std::string& command) const {
    std::ifstream stream(folder_ / (command + ".calls"));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string squeueText() const {
    return "echo \"$*\" >>'" + file("squeue.calls") + "'; case \"$*\" in *--me*) cat '" + file("names") +
           "';; *) cat '" + file("jobs") + "';; esac";
  }
  // Atomic: callers get the old script or the new one.
  void script(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / (name + ".new")) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(folder_ / (name + ".new"), std::filesystem::perms::owner_all);
    std::filesystem::rename(folder_ / (name + ".new"), folder_ / name);
  }
  // Atomic: readers get the old lines or the new ones.
  void replace(const std::string& name, const std::string& lines) {
    std::ofstream(folder_ / (name + ".new")) << lines;
    std::filesystem::rename(folder_ / (name + ".new"), folder_ / name);
  }

  TempFolder folder_;
  std::string path_;
};

}  // namespace batchwise::test
