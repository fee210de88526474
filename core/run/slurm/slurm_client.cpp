// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_client.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <regex>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/run/controllers/child_process.h"
#include "core/run/slurm/slurm_template.h"

namespace batchwise {
namespace {

constexpr std::chrono::seconds kCommandTimeout{30};

std::optional<std::string> onPath(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : partsOf(path == nullptr ? "" : path, ':')) {
    const std::string file = folder + "/" + program;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

/// What to do with a running command when a stop is requested: kill a query, let a change finish alone.
enum class OnStop { Kill, Detach };

/// Runs a command and returns its output.
Result<std::string> runSlurmCommand(std::vector<std::string> words, const std::stop_token& stop,
                                    OnStop onStop = OnStop::Kill) {
  const std::string command = words.front();
  const auto program = onPath(command);
  if (!program)
    return Error::unsupported(
        formatText("this machine has no Slurm: {} is not on PATH; submit from a login node of the cluster", command));
  words.front() = *program;
  ASSIGN_OR_RETURN(auto child, ChildProcess::start(words, {}));
  std::string out;
  std::optional<ChildExit> end;
  const auto until = std::chrono::steady_clock::now() + kCommandTimeout;
  while (!end && !stop.stop_requested() && std::chrono::steady_clock::now() < until) {
    out += child.read(20);
    end = child.ended();
  }
  if (!end && stop.stop_requested()) {
    if (onStop == OnStop::Kill) child.signal(SIGKILL);
    return Error{ErrorCode::Stopped, formatText("{} was not waited for", command), {}};
  }
  if (!end) {
    child.signal(SIGKILL);
    return Error{ErrorCode::Io,
                 formatText("{} has not answered for half a minute: the cluster's controller may be down{}", command,
                            onStop == OnStop::Detach ? "; squeue tells whether it has done its work" : ""),
                 {}};
  }
  for (std::string rest = child.read(0); !rest.empty(); rest = child.read(0)) out += rest;
  const std::string last = lastLine(end->stderrTail);
  if (end->bySignal || end->number != 0)
    return Error{ErrorCode::Config, formatText("Slurm: {}", last.empty() ? "it printed nothing" : last), {}};
  return out;
}

std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : partsOf(text, '\n')) rows.push_back(partsOf(line, '|'));
  return rows;
}

std::int64_t gpusIn(const std::string& resources) {
  const std::size_t at = resources.find("gpu");
  if (at == std::string::npos) return 0;
  const std::size_t end = resources.find_first_of(",(", at);
  const std::string entry = resources.substr(at, end - at);
  return std::strtoll(entry.c_str() + entry.rfind(':') + 1, nullptr, 10);
}

// Returns the value after " KEY=" in a line of scontrol; empty if missing.
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

// `code`: Slurm's "exit code:signal", such as "7:0".
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
  std::string text = end.reason.empty() ? formatText("{}", end.state) : formatText("{} ({})", end.state, end.reason);
  if (end.exitCode != 0) text = formatText("{}, exit code {}", text, end.exitCode);
  if (end.signal != 0) text = formatText("{}, signal {}", text, end.signal);
  return text;
}

bool SlurmClient::isAvailable() {
  return onPath("sbatch").has_value();
}

Result<std::vector<SlurmPartition>> SlurmClient::partitions() const {
  ASSIGN_OR_RETURN(const auto text, runSlurmCommand({"sinfo", "-h", "-o", "%P|%a|%D|%l|%G|%c"}, stop_));
  std::vector<SlurmPartition> all;
  for (const auto& row : table(text)) {
    if (row.size() < 6) continue;
    SlurmPartition one;
    one.isDefault = row[0].ends_with('*');
    one.name = one.isDefault ? row[0].substr(0, row[0].size() - 1) : row[0];
    one.up = row[1] == "up";
    one.nodes = std::strtoll(row[2].c_str(), nullptr, 10);
    one.limitMinutes = slurmMinutes(row[3]);
    one.gpusPerNode = gpusIn(row[4]);
    one.coresPerNode = std::strtoll(row[5].c_str(), nullptr, 10);
    // sinfo prints a line per kind of node; merge them.
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
  ASSIGN_OR_RETURN(const auto text, runSlurmCommand({"sbatch", "--parsable", script.string()}, stop_, OnStop::Detach));
  const std::string id = text.substr(0, text.find_first_of(";\n"));
  if (id.empty()) return Error{ErrorCode::Io, "sbatch did not report a job", {}};
  return id;
}

Result<std::vector<SlurmJob>> SlurmClient::jobs(const std::string& name) const {
  ASSIGN_OR_RETURN(const auto text,
                   runSlurmCommand({"squeue", "-h", "-S", "i", "--name", name, "-o", "%i|%T|%r"}, stop_));
  std::vector<SlurmJob> all;
  for (const auto& row : table(text))
    if (row.size() >= 3) all.push_back({row[0], row[1], row[2]});
  return all;
}

Result<std::vector<std::pair<std::string, std::string>>> SlurmClient::ownJobs() const {
  ASSIGN_OR_RETURN(const auto text, runSlurmCommand({"squeue", "-h", "-r", "--me", "-o", "%i|%j"}, stop_));
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& row : table(text))
    if (row.size() >= 2) all.emplace_back(row[0], row[1]);
  return all;
}

Result<void> SlurmClient::cancelTask(const std::string& id) const {
  RETURN_IF_ERROR(runSlurmCommand({"scancel", id}, stop_, OnStop::Detach));
  return {};
}

Result<void> SlurmClient::scancel(std::vector<std::string> options, const std::string& name) const {
  options.insert(options.begin(), "scancel");
  options.insert(options.end(), {"--name", name});
  RETURN_IF_ERROR(runSlurmCommand(options, stop_, OnStop::Detach));
  return {};
}

std::optional<SlurmJobEnd> SlurmClient::ended(const std::string& id) const {
  if (const auto line = runSlurmCommand({"scontrol", "show", "job", "-o", id}, stop_); line.ok())
    if (const std::string state = fieldOf(*line, "JobState"); !state.empty())
      return endOf(state, fieldOf(*line, "Reason"), fieldOf(*line, "ExitCode"), fieldOf(*line, "NodeList"));
  const auto text = runSlurmCommand({"sacct", "-n", "-P", "-X", "-j", id, "-o", "State,ExitCode,NodeList"}, stop_);
  if (!text.ok()) return std::nullopt;
  const auto rows = table(*text);
  if (rows.empty() || rows.back().size() < 3) return std::nullopt;  // a requeued job has several rows
  return endOf(rows.back()[0], {}, rows.back()[1], rows.back()[2]);
}

namespace {

/// Quotes text for bash, in single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) result += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return result + "'";
}

bool plain(const std::string& text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:&|=+-/*()[]%") ==
         std::string::npos;
}

// Used if the partition sets the limit.
constexpr std::int64_t kWarningBeforeUnknownLimitSec = 120;

// An sbatch directive splits at blanks, removes quotes and backslashes, and expands %; only `pattern` is to be
// expanded.
std::string quotedForSbatch(const std::string& path, const std::string& pattern, const std::string& ending) {
  std::string text = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '%') text += '%';
    text += c;
  }
  return text + pattern + ending + "\"";
}

std::string directives(const SlurmOptions& options, const SlurmPaths& paths, const std::vector<std::string>& runs) {
  std::string text;
  const auto line = [&text](const std::string& option) { text += "#SBATCH " + option + "\n"; };
  const auto given = [&line](const char* name, const std::string& value) {
    if (!value.empty()) line(std::string("--") + name + "=" + value);
  };
  line("--job-name=" + slurmJobName(runs.front()));
  given("partition", options.partition);
  given("account", options.account);
  given("qos", options.qos);
  given("constraint", options.constraint);
  line("--nodes=" + std::to_string(options.nodes));
  line("--ntasks-per-node=" + std::to_string(options.ranksPerNode));
  if (options.gpusPerNode > 0) line("--gpus-per-node=" + std::to_string(options.gpusPerNode));
  if (options.coresPerRank > 0) line("--cpus-per-task=" + std::to_string(options.coresPerRank));
  given("mem", options.memory);
  if (options.limitMinutes > 0) line("--time=" + std::to_string(options.limitMinutes));
  line("--signal=USR1@" + std::to_string(options.limitMinutes > 0 ? slurmWarningSec(options.limitMinutes)
                                                                  : kWarningBeforeUnknownLimitSec));
  if (runs.size() > 1) line("--array=0-" + std::to_string(runs.size() - 1));
  line("--requeue");
  line("--open-mode=append");
  line("--output=" +
       quotedForSbatch((paths.workspace / "runs" / runs.front()).string(), runs.size() > 1 ? "-%a" : "", ".log"));
  for (const std::string& option : options.more) line(option);
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

Result<void> checkSlurmOptions(const SlurmOptions& options) {
  struct Number {
    std::string name;
    std::int64_t value, least;
  };
  for (const Number& number :
       {Number{"the number of machines (--nodes)", options.nodes, 1},
        Number{"the number of processes on each machine (--ranks-per-node)", options.ranksPerNode, 1},
        Number{"the number of GPUs on each machine (--gpus-per-node)", options.gpusPerNode, 0},
        Number{"the number of cores of each process (--cores-per-rank)", options.coresPerRank, 0},
        Number{"the number of jobs in a row (--chain)", options.chain, 0}})
    if (number.value < number.least || number.value > 1'000'000)
      return Error::config(formatText("{} is {}; it takes {} to 1000000", number.name, number.value, number.least));
  if (options.gpusPerNode > 0 && options.ranksPerNode != options.gpusPerNode)
    return Error::config(formatText(
        "each machine has {} GPUs (--gpus-per-node) and {} processes (--ranks-per-node); each process has one GPU, "
        "so give the same number",
        options.gpusPerNode, options.ranksPerNode));
  for (const std::string& text :
       {options.partition, options.account, options.qos, options.constraint, options.memory, options.mpi})
    if (!plain(text)) return Error::config(formatText("'{}' is not allowed in a batch script", text));
  for (const std::string& option : options.more)
    if (!option.starts_with("--") || option.find_first_of("\r\n") != std::string::npos)
      return Error::config(
          formatText("--sbatch takes an option of sbatch, such as --sbatch=--exclusive, not '{}'", option));
  return {};
}

std::string slurmJobName(const std::string& run) {
  return "batchwise-" + run;
}

std::string slurmScript(const SlurmOptions& options, const SlurmPaths& paths, const std::vector<std::string>& runs) {
  const std::map<std::string, std::string> values = {{"@DIRECTIVES@", directives(options, paths, runs)},
                                                     {"@PROGRAM@", quoted(paths.program.string())},
                                                     {"@WORKSPACE@", quoted(paths.workspace.string())},
                                                     {"@RUNS@", joined(runs, " ")},
                                                     // Tasks of an array share one script, so they cannot be chained.
                                                     {"@CHAIN@", std::to_string(runs.size() > 1 ? 0 : options.chain)},
                                                     {"@MPI@", options.mpi}};
  std::string script = kSlurmTemplate;
  for (const auto& [name, value] : values)
    if (const std::size_t at = script.find(name); at != std::string::npos) script.replace(at, name.size(), value);
  return script;
}

std::int64_t slurmWarningSec(std::int64_t limitMinutes) {
  const std::int64_t tenth = limitMinutes * 6;
  return std::min(std::max<std::int64_t>(60, std::min<std::int64_t>(600, tenth)), limitMinutes * 30);
}

std::optional<std::int64_t> slurmMinutes(const std::string& text) {
  static const std::regex form(R"((?:(\d{1,6})-)?(\d{1,6})(?::(\d{1,6}))?(?::(\d{1,6}))?)");
  std::smatch found;
  if (!std::regex_match(text, found, form)) return std::nullopt;
  const std::int64_t days = found[1].matched ? std::stoll(found[1]) : 0;
  std::vector<std::int64_t> parts;
  for (std::size_t i = 2; i < found.size(); ++i)
    if (found[i].matched) parts.push_back(std::stoll(found[i]));
  // With days: hours first. Without: minutes, minutes:seconds, or hours:minutes:seconds (man sbatch, --time).
  if (!found[1].matched && parts.size() < 3) parts.insert(parts.begin(), 0);
  parts.resize(3, 0);
  const std::int64_t seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
  return days * 1440 + (seconds + 59) / 60;
}

}  // namespace batchwise
