// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/external_run.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/format.h"
#include "core/base/text.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// Returns our name for a logged one by one line of the table.
std::optional<std::string> nameBy(const SeriesAlias& alias, const std::string& logged) {
  if (!alias.logged.ends_with('*')) return logged == alias.logged ? std::optional(alias.name) : std::nullopt;
  const std::string_view prefix = std::string_view(alias.logged).substr(0, alias.logged.size() - 1);
  if (!logged.starts_with(prefix) || logged.size() == prefix.size()) return std::nullopt;
  if (!alias.name.ends_with('*')) return alias.name;
  return alias.name.substr(0, alias.name.size() - 1) + logged.substr(prefix.size());
}

}  // namespace

bool isPythonLog(const fs::path& file) {
  constexpr std::string_view kHead = R"({"_batchwise":1,)";
  std::array<char, kHead.size()> head{};
  std::error_code unknown;
  return file.extension() == ".jsonl" && fs::is_regular_file(file, unknown) &&
         std::ifstream(file).read(head.data(), head.size()) && std::ranges::equal(head, kHead);
}

Result<SeriesAlias> parseSeriesAlias(std::string_view line) {
  const auto trimmed = [](std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return std::string(first == std::string_view::npos ? "" : text.substr(first, last + 1 - first));
  };
  const std::size_t equals = line.rfind('=');
  const std::string logged = trimmed(line.substr(0, equals));
  if (equals == std::string_view::npos || logged.empty())
    return Error::config(formatText("'{}' is no assignment; write 'name in the files=name here', for example 'ce=loss'",
                                    std::string(line)));
  return SeriesAlias{logged, trimmed(line.substr(equals + 1))};
}

bool isClockSeries(std::string_view name) {
  constexpr std::array<std::string_view, 7> kClocks = {"ep", "ba", "steps", "sp", "tok", "sec", "wall"};
  return std::ranges::find(kClocks, name) != kClocks.end();
}

const std::vector<SeriesAlias>& standardSeriesAliases() {
  static const std::vector<SeriesAlias> table = [] {
    constexpr std::pair<const char*, const char*> kNames[] = {
        {"loss",
         "loss|train/loss|train_loss|train/loss_step|train_loss_step|train/loss_epoch|train_loss_epoch|training/loss|"
         "training_loss|loss/train|Loss/train|loss/train/total|lm loss"},
        {"eval.loss",
         "eval/loss|eval_loss|val/loss|val_loss|valid/loss|valid_loss|validation/loss|validation_loss|loss/eval|loss/"
         "val|"
         "Loss/eval|Loss/val|lm loss validation"},
        {"lr", "lr|learning_rate|learning-rate|train/learning_rate|train/lr|optimizer/lr|learning_rate-*|lr-*"},
        {"grad_norm", "grad_norm|grad-norm|train/grad_norm|gradient_norm|l2_norm/grad/global"},
        {"tokens_per_sec",
         "tokens_per_sec|tokens_per_second|train/tokens_per_sec|train/tokens_per_second|throughput/tokens_per_sec"},
        {"samples_per_sec", "samples_per_sec|train/samples_per_sec|throughput/samples_per_sec"},
        {"ep", "epoch|train/epoch|trainer/epoch"},
        {"tok",
         "tokens|num_tokens|tokens_seen|num_input_tokens_seen|train/num_input_tokens_seen|time/token|consumed-tokens"},
        {"sp", "samples|samples_seen|time/sample|consumed-samples"},
        {"eval.*", "eval/*|eval_*|val/*|val_*|validation/*|metrics/eval/*"}};
    std::vector<SeriesAlias> all;
    for (const auto& [name, names] : kNames)
      for (const std::string& logged : partsOf(names, '|')) all.push_back({logged, name});
    return all;
  }();
  return table;
}

std::map<std::string, std::string> namesOfLogged(const std::vector<std::string>& logged,
                                                 const std::vector<SeriesAlias>& aliases) {
  std::map<std::string, std::string> names;
  std::set<std::string> taken = {"steps", "sec", "wall"};  // a reader makes them from steps and times
  const auto claim = [&](const std::string& series, const std::string& name) {
    if (!names.contains(series) && taken.insert(name).second) names.emplace(series, name);
  };
  for (const std::string& series : logged)
    if (series == "steps" || series == "sec" || series == "wall") names.emplace(series, series);
  for (const SeriesAlias& alias : aliases)
    for (const std::string& series : logged)
      if (const auto name = nameBy(alias, series)) claim(series, *name);
  for (const std::string& series : logged) {
    const bool isOurs = series.starts_with("step.") || isClockSeries(series);
    claim(series, isOurs ? "logged/" + series : series);
    claim(series, "logged/" + series);  // the plain name is another series' by the table
  }
  return names;
}

std::string deletedRunKey(const std::string& source, const std::string& path) {
  return "import.deleted " + source + " " + path;
}

}  // namespace batchwise
