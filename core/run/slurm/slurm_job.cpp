// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/slurm/slurm_job.h"

#include <algorithm>
#include <map>
#include <regex>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/run/slurm/slurm_template.h"

namespace batchwise {
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
