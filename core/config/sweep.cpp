// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/config_reader.h"
#include "core/config/default_values.h"
#include "core/config/yaml_value.h"

namespace batchwise {
namespace {

constexpr std::size_t kLongestNamePart = 24;

/// Returns "lr" for "optimizer.lr", a word for the fields of batch size, or the whole path if another axis has the same
/// last name.
std::string shortName(const SweepAxis& axis, const std::vector<SweepAxis>& axes) {
  static const std::map<std::string_view, std::string> kWords = {
      {"batch.global_train_batch_size", "batch"},
      {"batch.device_train_microbatch_size", "microbatch"},
      {"batch.rampup.duration", "ramp"},
      {"batch.rampup.initial_global_train_batch_size", "initial"},
      {"batch.tokens.max_tokens", "budget"}};
  if (const auto word = kWords.find(axis.field); word != kWords.end()) return word->second;
  const auto leaf = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
  const auto alike = std::count_if(axes.begin(), axes.end(),
                                   [&](const SweepAxis& other) { return leaf(other.field) == leaf(axis.field); });
  return alike > 1 ? axis.field : leaf(axis.field);
}

/// Returns whether a value may be part of a run name: it is short, with characters that file names may have.
bool fitsName(const std::string& value) {
  return value.size() <= kLongestNamePart && std::all_of(value.begin(), value.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '+' || c == '_';
         });
}

/// Returns a value as part of a run name, or its number if it does not fit.
std::string namePart(const std::string& value, std::size_t number) {
  return fitsName(value) ? value : "#" + std::to_string(number + 1);
}

/// Returns whether the field names or describes a run and has no effect on its training.
bool isLabelOfRun(const std::string& field) {
  return field == "version" || field == "name" || field == "notes" || field == "experiment" || field == "variant";
}

/// Detects a number with a thousands separator: "1,000" would be the list 1, 0.
bool looksLikeGroupedNumber(const std::string& text) {
  static const std::regex pattern(R"(\s*[+-]?\d{1,3}(,\d{3})+\s*)");
  return std::regex_match(text, pattern);
}

bool isNumber(const Field& field) {
  return field.kind == FieldKind::Integer || field.kind == FieldKind::Number;
}

/// Returns the number with four significant digits, or whole for a field of whole numbers.
std::string rounded(const Field& field, double value) {
  if (field.kind == FieldKind::Integer) return std::to_string(std::llround(value));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return formatExact(std::strtod(text.data(), nullptr));
}

std::optional<double> numberIn(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Returns the values of a range as a list, "1e-4, 1e-3, 1e-2" for "1e-4..1e-2 x3 log"; other texts unchanged. The ends
/// stay as typed. Fails with Config for less than two values, or for ratios of numbers that are not positive.
Result<std::string> expandRange(const Field& field, const std::string& text) {
  static const std::regex pattern(R"(\s*([^\s,]+?)\s*\.\.\s*([^\s,]+)(?:\s+x\s*(\d+))?(\s+log)?\s*)");
  std::smatch parts;
  if (!isNumber(field) || !std::regex_match(text, parts, pattern)) return text;
  const auto from = numberIn(parts[1].str()), to = numberIn(parts[2].str());
  const int count = parts[3].matched && parts[3].length() <= 4 ? std::stoi(parts[3].str()) : 0;
  const bool ratios = parts[4].matched;
  if (!from || !to || count < 2 || (ratios && !(*from > 0 && *to > 0)))
    return Error::config(formatText(
        "'{}' is not a range; write from..to, the number of values (2 to 9999) and, for equal ratios, log, such as "
        "1e-4..1e-2 x4 log",
        text));
  std::vector<std::string> values = {parts[1].str()};
  for (int i = 1; i + 1 < count; ++i) {
    const double share = static_cast<double>(i) / (count - 1);
    values.push_back(rounded(field, ratios ? *from * std::pow(*to / *from, share) : *from + (*to - *from) * share));
  }
  values.push_back(parts[2].str());
  return joined(values);
}

/// Axes that advance together, by their place; most are alone.
using Dimension = std::vector<std::size_t>;

/// Returns the first place at which all axes of the dimension have values that they had together before; nothing if
/// there is none. Requires equal lengths.
std::optional<std::size_t> repeatedPlace(const std::vector<SweepAxis>& axes, const Dimension& dimension) {
  const auto alike = [&](std::size_t a, std::size_t b) {
    return std::all_of(dimension.begin(), dimension.end(),
                       [&](std::size_t each) { return axes[each].values[a] == axes[each].values[b]; });
  };
  for (std::size_t place = 1; place < axes[dimension.front()].values.size(); ++place)
    for (std::size_t before = 0; before < place; ++before)
      if (alike(place, before)) return place;
  return std::nullopt;
}

/// Returns the dimensions of the grid in the order of their first axes.
std::vector<Dimension> dimensionsOf(const std::vector<SweepAxis>& axes, const std::vector<std::string>& zip) {
  std::vector<Dimension> dimensions;
  std::optional<std::size_t> zipped;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const bool together = std::find(zip.begin(), zip.end(), axes[axis].field) != zip.end();
    if (together && zipped) {
      dimensions[*zipped].push_back(axis);
      continue;
    }
    if (together) zipped = dimensions.size();
    dimensions.push_back({axis});
  }
  return dimensions;
}

/// Returns the problem of axes that advance together; empty if there is none.
std::string problemOf(const std::vector<SweepAxis>& axes, const Dimension& dimension) {
  const SweepAxis& first = axes[dimension.front()];
  for (const std::size_t each : dimension)
    if (axes[each].values.size() != first.values.size())
      return formatText("{} has {} values and {} has {}; zipped fields need equally many", first.field,
                        first.values.size(), axes[each].field, axes[each].values.size());
  const auto twice = repeatedPlace(axes, dimension);
  return twice ? formatText("{}: the value {} is given twice, which gives identical runs; keep one", first.field,
                            first.values[*twice])
               : std::string();
}

/// Returns "ramp-8 to 64" for the variant "8 to 64" of the experiment "ramp".
std::string experimentName(const TrainConfig& config) {
  return config.experiment + (config.experiment.empty() || config.variant.empty() ? "" : "-") + config.variant;
}

/// Names the runs of one sweep: "base-lr=1e-4-seed=2", the seed last. Of values that advance together, those that are
/// not set are left out where the others tell the runs apart.
class SweepNames {
 public:
  SweepNames(const TrainConfig& first, const std::vector<SweepAxis>& axes, const std::vector<Dimension>& dimensions)
      : first_(first), axes_(axes) {
    for (const Dimension& dimension : dimensions) {
      Dimension labels, values;
      for (const std::size_t axis : dimension) (isLabel(axis) ? labels : values).push_back(axis);
      if (!labels.empty() && !repeatedPlace(axes, labels)) continue;
      const bool bySetOnes = values.size() > 1 && setValuesDiffer(values);
      for (const std::size_t axis : values) parts_.push_back({axis, bySetOnes});
    }
    std::stable_partition(parts_.begin(), parts_.end(),
                          [&](const Part& part) { return axes[part.axis].field != "seed"; });
  }

  /// Returns the name of the run `config`, which has the value `places[i]` of axis i.
  std::string nameOf(const TrainConfig& config, const std::vector<std::size_t>& places) const {
    if (has("name")) return config.name;
    const bool labeled = has("variant") || has("experiment");
    std::string name = first_.name.empty() ? experimentName(config) : first_.name;
    if (labeled && !first_.name.empty()) name += "-" + experimentName(config);
    for (const Part& part : parts_)
      if (const std::size_t place = places[part.axis]; !part.ifSet || isSet(part.axis, place))
        name += (name.empty() ? "" : "-") + valueText(part.axis, place);
    const bool seeded = first_.name.empty() && !config.experiment.empty() && !has("seed");
    return seeded ? name + "-seed=" + std::to_string(config.seed) : name;
  }

 private:
  /// An axis whose value is part of the name.
  struct Part {
    std::size_t axis = 0;
    bool ifSet = false;  ///< only where the value is set
  };

  bool isLabel(std::size_t axis) const {
    const std::string& field = axes_[axis].field;
    return field == "name" || field == "experiment" || field == "variant";
  }
  bool has(std::string_view field) const {
    return std::any_of(axes_.begin(), axes_.end(), [&](const SweepAxis& axis) { return axis.field == field; });
  }
  bool isSet(std::size_t axis, std::size_t place) const {
    const Field& field = *findField(axes_[axis].field);
    return !field.optional || axes_[axis].values[place] != field.unsetText;
  }
  std::string valueText(std::size_t axis, std::size_t place) const {
    return shortName(axes_[axis], axes_) + "=" + namePart(axes_[axis].values[place], place);
  }
  /// Returns whether at least one value is set at each place, and no two places have the same ones.
  bool setValuesDiffer(const Dimension& values) const {
    const std::size_t places = axes_[values.front()].values.size();
    std::set<std::string> texts;
    for (std::size_t place = 0; place < places; ++place) {
      std::string text;
      for (const std::size_t axis : values)
        if (isSet(axis, place)) text += valueText(axis, place) + '\n';
      if (!text.empty()) texts.insert(text);
    }
    return texts.size() == places;
  }

  const TrainConfig& first_;
  const std::vector<SweepAxis>& axes_;
  std::vector<Part> parts_;  // in the order of the name
};

LoadedConfig runOf(const LoadedConfig& first, const std::vector<FieldProblem>& ofFirst, TrainConfig config) {
  static const Field& name = *findField("name");
  LoadedConfig run;
  run.baseFolder = first.baseFolder;
  run.yaml = configToYaml(config, YamlScope::ChangedOnly);
  run.config = std::move(config);
  if (std::string problem = name.check(run.config.name); !problem.empty())
    run.errors.push_back({"name", run.config.name, 0, std::move(problem)});
  for (auto& problems : {checkRules(run.config), checkNewRun(run.config)})
    for (const FieldProblem& problem : problems)
      run.errors.push_back({problem.field, run.config.name, 0, problem.message});
  for (const ConfigIssue& note : first.notes)
    if (std::ranges::find(ofFirst, note.message, &FieldProblem::message) == ofFirst.end()) run.notes.push_back(note);
  for (FieldProblem& mistake : findLikelyMistakes(run.config))
    run.notes.push_back({std::move(mistake.field), "", 0, std::move(mistake.message)});
  return run;
}

}  // namespace

Result<std::vector<std::string>> sweepValues(const Field& field, const std::string& typed) {
  ASSIGN_OR_RETURN(const auto text, expandRange(field, typed));
  if (looksLikeGroupedNumber(text))
    return Error::config(
        formatText("'{}' may be one number or several; write it without commas, or with a space after each", text));
  const config::ParsedYaml parsed = config::parseYaml("[" + text + "]");
  if (parsed.problem || parsed.documents.size() != 1)
    return Error::config(formatText("'{}' is not a list of values", text));
  const YAML::Node list = parsed.documents.front();
  const bool once = list.size() == 1 && config::isSweep(field, list[0]);
  const YAML::Node items = once ? list[0] : list;
  if (items.size() < 2) return Error::config("needs two or more values, separated by commas");
  std::vector<std::string> values;
  for (const YAML::Node& item : items) {
    TrainConfig trial;
    if (const auto problems = field.read(trial, item); !problems.empty())
      return Error::config(inContextText(config::describeNode(item), problems.front().message));
    values.push_back(field.get(trial));
  }
  return values;
}

std::int64_t sweepSize(const std::vector<SweepAxis>& axes, const std::vector<std::string>& zip) {
  std::int64_t size = 1;
  for (const Dimension& dimension : dimensionsOf(axes, zip))
    size = std::min<std::int64_t>(size * static_cast<std::int64_t>(axes[dimension.front()].values.size()),
                                  std::int64_t{1} << 40);
  return size;
}

std::string nameFromValues(const std::string& parent, const std::vector<ConfigDifference>& differences) {
  constexpr std::size_t kMostValues = 3;
  static const std::regex exponent("e-0(\\d)");
  std::vector<SweepAxis> axes;
  for (const ConfigDifference& difference : differences)
    if (!isLabelOfRun(difference.field) && fitsName(difference.right))
      axes.push_back({difference.field,
                      {std::regex_replace(difference.left, exponent, "e-$1"),
                       std::regex_replace(difference.right, exponent, "e-$1")}});
  std::stable_partition(axes.begin(), axes.end(), [](const SweepAxis& axis) { return axis.field != "seed"; });
  if (axes.empty()) return {};
  std::string name = parent;
  for (std::size_t i = 0; i < std::min(axes.size(), kMostValues); ++i) {
    const std::string part = "-" + shortName(axes[i], axes) + "=";
    const std::string former = part + axes[i].values.front(), next = part + axes[i].values.back();
    const auto at = name.find(former);
    const bool isWhole =
        at != std::string::npos && (at + former.size() == name.size() || name[at + former.size()] == '-');
    if (isWhole)
      name.replace(at, former.size(), next);
    else
      name += next;
  }
  return name;
}

std::string runName(const TrainConfig& config) {
  if (!config.name.empty() || config.experiment.empty()) return config.name;
  return experimentName(config) + "-seed=" + std::to_string(config.seed);
}

Result<std::vector<LoadedConfig>> sweepRuns(const LoadedConfig& first, const std::vector<SweepAxis>& axes) {
  if (axes.empty()) return std::vector<LoadedConfig>{first};
  const std::int64_t size = sweepSize(axes, first.config.zip);
  if (size > kMaxSweepRuns)
    return Error::config(formatText("the values of {} fields make {} runs, more than {}; give fewer values",
                                    axes.size(), size, kMaxSweepRuns));
  const std::vector<Dimension> dimensions = dimensionsOf(axes, first.config.zip);
  for (const Dimension& dimension : dimensions)
    if (std::string problem = problemOf(axes, dimension); !problem.empty()) return Error::config(std::move(problem));
  const SweepNames names(first.config, axes, dimensions);
  const std::vector<FieldProblem> ofFirst = findLikelyMistakes(first.config);
  std::vector<LoadedConfig> runs;
  runs.reserve(static_cast<std::size_t>(size));
  for (std::int64_t number = 0; number < size; ++number) {
    TrainConfig config = first.config;
    config.zip.clear();
    std::vector<std::size_t> places(axes.size());
    std::int64_t below = size;
    for (const Dimension& dimension : dimensions) {
      const auto values = static_cast<std::int64_t>(axes[dimension.front()].values.size());
      below /= values;
      for (const std::size_t axis : dimension) {
        places[axis] = static_cast<std::size_t>(number / below % values);
        findField(axes[axis].field)->set(config, axes[axis].values[places[axis]]);
      }
    }
    config.name = names.nameOf(config, places);
    runs.push_back(runOf(first, ofFirst, std::move(config)));
  }
  return runs;
}

std::string sweepToYaml(const TrainConfig& config, const std::vector<SweepAxis>& axes) {
  const auto axisOf = [&axes](const Field& field) {
    return std::find_if(axes.begin(), axes.end(), [&](const SweepAxis& axis) { return axis.field == field.path; });
  };
  const TrainConfig defaults;
  return config::fieldsToYaml(
      [&](const Field& field) { return axisOf(field) != axes.end() || field.get(config) != field.get(defaults); },
      [&](const Field& field) {
        const auto axis = axisOf(field);
        return axis == axes.end() ? field.get(config) : "[" + joined(axis->values) + "]";
      });
}

}  // namespace batchwise
