// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_client.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>

#include "core/run/controllers/child_process.h"
#include "core/run/slurm/slurm_job.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kAnswerPatience{30};

std::optional<std::string> onPath(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + program;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

std::string lastWordsOf(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string::npos) return "it said nothing";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? -1 : begin));
}

/// What becomes of a command that is under way when a stop is asked for: a question is ended, a change goes on alone.
enum class OnStop { EndIt, LeaveIt };

/// What the command wrote.
Result<std::string> ask(std::vector<std::string> words, const std::stop_token& stop, OnStop onStop = OnStop::EndIt) {
  const std::string command = words.front();
  const auto program = onPath(command);
  if (!program)
    return Error::unsupported("this machine has no Slurm: " + command +
                              " is not on PATH; submit from a login node of the cluster");
  words.front() = *program;
  Result<ChildProcess> child = ChildProcess::start(words, {});
  if (!child.ok()) return child.error();
  std::string out;
  std::optional<ChildEnd> end;
  const auto until = std::chrono::steady_clock::now() + kAnswerPatience;
  while (!end && !stop.stop_requested() && std::chrono::steady_clock::now() < until) {
    out += child->read(20);
    end = child->ended();
  }
  if (!end && stop.stop_requested()) {
    if (onStop == OnStop::EndIt) child->signal(SIGKILL);
    return Error{ErrorCode::Stopped, command + " was not waited for", {}};
  }
  if (!end) {
    child->signal(SIGKILL);
    return Error{
        ErrorCode::Io, command + " has not answered for half a minute: the cluster's controller may be away", {}};
  }
  for (std::string rest = child->read(0); !rest.empty(); rest = child->read(0)) out += rest;
  if (end->bySignal || end->number != 0) return Error{ErrorCode::Config, "Slurm: " + lastWordsOf(end->lastWords), {}};
  return out;
}

std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '|');) fields.push_back(cell);
    rows.push_back(std::move(fields));
  }
  return rows;
}

std::int64_t gpusIn(const std::string& resources) {
  const std::size_t at = resources.find("gpu");
  if (at == std::string::npos) return 0;
  const std::size_t end = resources.find_first_of(",(", at);
  const std::string entry = resources.substr(at, end - at);
  return std::strtoll(entry.c_str() + entry.rfind(':') + 1, nullptr, 10);
}

// The value behind " KEY=" in a line of scontrol; empty if it is not there.
std::string fieldOf(const std::string& line, const std::string& key) {
  const std::string mark = " " + key + "=";
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return line.substr(begin, line.find_first_of(" \n", begin) - begin);
}

std::string withoutNone(const std::string& text) {
  return text == "(null)" || text == "None" || text.starts_with("None ") ? std::string() : text;
}

// `code` as Slurm writes it: "7:0", exit code and signal.
SlurmJobEnd endOf(const std::string& state, const std::string& reason, const std::string& code,
                  const std::string& nodes) {
  SlurmJobEnd end;
  end.state = state.substr(0, state.find(' '));  // "CANCELLED by 1000"
  end.reason = withoutNone(reason);
  end.exitCode = std::strtoll(code.c_str(), nullptr, 10);
  if (const std::size_t colon = code.find(':'); colon != std::string::npos)
    end.signal = std::strtoll(code.c_str() + colon + 1, nullptr, 10);
  end.hadNodes = !withoutNone(nodes).empty();
  return end;
}

}  // namespace

std::string describe(const SlurmJobEnd& end) {
  std::string text = end.state;
  if (!end.reason.empty()) text += " (" + end.reason + ")";
  if (end.exitCode != 0) text += ", exit code " + std::to_string(end.exitCode);
  if (end.signal != 0) text += ", signal " + std::to_string(end.signal);
  return text;
}

bool SlurmClient::isHere() {
  return onPath("sbatch").has_value();
}

Result<std::vector<SlurmPartition>> SlurmClient::partitions() const {
  const Result<std::string> text = ask({"sinfo", "-h", "-o", "%P|%a|%D|%l|%G|%c"}, stop_);
  if (!text.ok()) return text.error();
  std::vector<SlurmPartition> all;
  for (const auto& row : table(*text)) {
    if (row.size() < 6) continue;
    SlurmPartition one;
    one.isDefault = row[0].ends_with('*');
    one.name = one.isDefault ? row[0].substr(0, row[0].size() - 1) : row[0];
    one.up = row[1] == "up";
    one.nodes = std::strtoll(row[2].c_str(), nullptr, 10);
    one.limitMinutes = slurmMinutes(row[3]);
    one.gpusPerNode = gpusIn(row[4]);
    one.coresPerNode = std::strtoll(row[5].c_str(), nullptr, 10);
    // A line for each kind of node: they add up.
    if (!all.empty() && all.back().name == one.name) {
      all.back().nodes += one.nodes;
      all.back().gpusPerNode = std::max(all.back().gpusPerNode, one.gpusPerNode);
      all.back().coresPerNode = std::max(all.back().coresPerNode, one.coresPerNode);
    } else {
      all.push_back(std::move(one));
    }
  }
  return all;
}

Result<std::string> SlurmClient::submit(const std::filesystem::path& script) const {
  const Result<std::string> text = ask({"sbatch", "--parsable", script.string()}, stop_, OnStop::LeaveIt);
  if (!text.ok()) return text.error();
  const std::string id = text->substr(0, text->find_first_of(";\n"));
  if (id.empty()) return Error{ErrorCode::Io, "sbatch named no job", {}};
  return id;
}

Result<std::vector<SlurmJob>> SlurmClient::jobs(const std::string& name) const {
  const Result<std::string> text = ask({"squeue", "-h", "-S", "i", "--name", name, "-o", "%i|%T|%r"}, stop_);
  if (!text.ok()) return text.error();
  std::vector<SlurmJob> all;
  for (const auto& row : table(*text))
    if (row.size() >= 3) all.push_back({row[0], row[1], row[2]});
  return all;
}

Result<std::vector<std::string>> SlurmClient::names() const {
  const Result<std::string> text = ask({"squeue", "-h", "--me", "-o", "%j"}, stop_);
  if (!text.ok()) return text.error();
  std::vector<std::string> all;
  std::istringstream lines(*text);
  for (std::string name; std::getline(lines, name);) all.push_back(name);
  return all;
}

Result<void> SlurmClient::cancel(const std::string& name) const {
  const Result<std::string> text = ask({"scancel", "--name", name}, stop_, OnStop::LeaveIt);
  return text.ok() ? Result<void>() : text.error();
}

Result<void> SlurmClient::cancelWaiting(const std::string& name) const {
  const Result<std::string> text = ask({"scancel", "--state", "PENDING", "--name", name}, stop_, OnStop::LeaveIt);
  return text.ok() ? Result<void>() : text.error();
}

Result<void> SlurmClient::signal(const std::string& name, const std::string& signal) const {
  const Result<std::string> text = ask({"scancel", "--signal", signal, "--name", name}, stop_, OnStop::LeaveIt);
  return text.ok() ? Result<void>() : text.error();
}

std::optional<SlurmJobEnd> SlurmClient::ended(const std::string& id) const {
  if (const auto line = ask({"scontrol", "show", "job", "-o", id}, stop_); line.ok())
    if (const std::string state = fieldOf(*line, "JobState"); !state.empty())
      return endOf(state, fieldOf(*line, "Reason"), fieldOf(*line, "ExitCode"), fieldOf(*line, "NodeList"));
  const auto text = ask({"sacct", "-n", "-P", "-X", "-j", id, "-o", "State,ExitCode,NodeList"}, stop_);
  if (!text.ok()) return std::nullopt;
  const auto rows = table(*text);
  if (rows.empty() || rows.back().size() < 3) return std::nullopt;  // a job that was queued again has several
  return endOf(rows.back()[0], {}, rows.back()[1], rows.back()[2]);
}

}  // namespace batchwise
