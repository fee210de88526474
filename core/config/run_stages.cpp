// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/run_stages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/format.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/config/config_reader.h"
#include "core/config/schedule_parameters.h"
#include "core/config/value_text.h"
#include "core/config/yaml_value.h"

// The values of `stages`, `eval.sets` and sources of text from YAML.

namespace batchwise {
namespace {

using Problems = std::vector<FieldProblem>;

std::string fieldOf(std::size_t index) {
  return "stages[" + std::to_string(index) + "]";
}

bool sets(const StageConfig& stage, const std::string& prefix) {
  return std::ranges::any_of(stage.settings, [&](const auto& setting) { return setting.first.starts_with(prefix); });
}

/// Removes the rounding of a difference of two fractions.
double rounded(double number) {
  return std::round(number * 1e12) / 1e12;
}

/// Returns the end of a stage in the unit of max_duration; nothing if it is in another unit.
std::optional<Time> endOf(const StageConfig& stage, const Time& maxDuration) {
  if (stage.until.unit() == maxDuration.unit()) return stage.until;
  if (stage.until.unit() != TimeUnit::Duration) return std::nullopt;
  if (stage.until.number() == 1.0) return maxDuration;
  if (maxDuration.unit() == TimeUnit::Epoch) return Time::epochs(rounded(maxDuration.number() * stage.until.number()));
  const Result<Time> end = multiply(maxDuration, stage.until.number());
  return end.ok() ? std::optional(*end) : std::nullopt;
}

Time lengthBetween(const Time& from, const Time& end) {
  if (!from.isWhole() || !end.isWhole()) return Time::epochs(rounded(end.number() - from.number()));
  return Time::of(end.count() - from.count(), end.unit());
}

/// Returns what is wrong with a setting, empty if nothing.
std::string apply(const std::pair<std::string, std::string>& setting, TrainConfig& config) {
  const Field* field = findField(setting.first);
  return field == nullptr ? formatText("{} is not a field; see the reference of the configuration", setting.first)
                          : field->set(config, setting.second);
}

/// Converts a share of the run to a share of its first stage.
void rescale(std::optional<Time>& time, double ratio) {
  if (time && time->unit() == TimeUnit::Duration) time = Time::duration(rounded(time->number() * ratio));
}

/// Converts the ramp of the run, whose `dur` is a share of the run, to the ramp of its first stage.
void rescaleRamp(const TrainConfig& run, RampupConfig& ramp) {
  const auto end = endOf(run.stages.front(), run.maxDuration);
  if (!end || !(end->number() > 0)) return;
  const double ratio = run.maxDuration.number() / end->number();
  rescale(ramp.duration, ratio);
  for (RampLevelConfig& stage : ramp.stages) {
    std::optional<Time> at = stage.at;
    rescale(at, ratio);
    stage.at = *at;
  }
}

/// Returns the configuration of a stage, of the length of the run.
TrainConfig configOf(const TrainConfig& run, std::size_t index) {
  const StageConfig& stage = run.stages[index];
  TrainConfig config = run;
  config.stages.clear();
  if (index > 0) {
    config.batch.rampup = {};
  } else if (!sets(stage, "batch.rampup.")) {
    rescaleRamp(run, config.batch.rampup);
  }
  if (sets(stage, "scheduler.")) config.scheduler = {};  // parameters of another schedule have no meaning
  for (const auto& setting : stage.settings) apply(setting, config);
  return config;
}

void checkMasks(const TrainConfig& config, Problems& problems) {
  if (config.data.mlmProbabilityEnd)
    problems.push_back(
        {"data.mlm_probability_end", "would change in every stage again; set it in the stage in which it changes"});
}

void checkEnds(const TrainConfig& config, Problems& problems) {
  Time before = Time::of(0, config.maxDuration.unit());
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    const StageConfig& stage = config.stages[index];
    const std::string field = fieldOf(index) + ".until";
    const auto end = endOf(stage, config.maxDuration);
    if (!end) {
      problems.push_back(
          {field,
           formatText("{} cannot be compared with max_duration {}; give a share such as 0.8dur, or the same unit",
                      stage.until.text(), config.maxDuration.text())});
      return;
    }
    if (end->number() <= before.number())
      problems.push_back(
          {field, index == 0
                      ? formatText("{} leaves no room for the stage; give an end above 0", stage.until.text())
                      : formatText("{} does not come after {}, the end of the previous stage; list the stages in order",
                                   stage.until.text(), config.stages[index - 1].until.text())});
    before = *end;
  }
  if (problems.empty() && before.number() != config.maxDuration.number())
    problems.push_back(
        {fieldOf(config.stages.size() - 1) + ".until",
         formatText(
             "the last stage ends at {0}, but the run ends at {1}; end the stage at 1dur, or set max_duration to {0}",
             config.stages.back().until.text(), config.maxDuration.text())});
}

/// A stage without a schedule follows that of the run. Such stages must come first, and if the run is counted in
/// epochs, their epochs must have equal lengths.
void checkSchedules(const TrainConfig& config, Problems& problems) {
  bool own = false;
  bool changesEpoch = false;
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    const StageConfig& stage = config.stages[index];
    changesEpoch = changesEpoch || sets(stage, "batch.") || sets(stage, "data.train") ||
                   sets(stage, "data.max_seq_len") || sets(stage, "data.join_documents");
    if (sets(stage, "scheduler.")) {
      own = true;
    } else if (own) {
      problems.push_back({fieldOf(index),
                          "comes after a stage with a schedule of its own and has none; give it one, such as "
                          "scheduler: {name: constant}"});
    } else if (index > 0 && changesEpoch && config.maxDuration.unit() == TimeUnit::Epoch) {
      problems.push_back(
          {fieldOf(index),
           formatText("follows the schedule of the run, which counts in epochs ({}), but the stages have epochs of "
                      "different lengths; give the stage a schedule of its own, or max_duration in ba, sp or tok",
                      config.maxDuration.text())});
    }
  }
}

/// Adds the problems of a stage's configuration that the run does not have.
void checkCombined(const TrainConfig& config, const Problems& ofRun, Problems& problems) {
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    TrainConfig scratch;
    for (const auto& setting : config.stages[index].settings)
      if (const std::string why = apply(setting, scratch); !why.empty())
        problems.push_back({fieldOf(index) + "." + setting.first, why});
    const TrainConfig combined = configOf(config, index);
    for (FieldProblem& problem : checkRules(combined)) {
      const bool known = std::ranges::any_of(ofRun, [&](const FieldProblem& other) {
        return other.field == problem.field && other.message == problem.message;
      });
      if (!known) problems.push_back({fieldOf(index) + "." + problem.field, std::move(problem.message)});
    }
    if (combined.batch.growth.enabled())
      problems.push_back({config.batch.growth.enabled() ? "batch.growth" : fieldOf(index) + ".batch.growth",
                          "batches cannot grow by a function in a run of several stages; give each stage its "
                          "batch.global_train_batch_size"});
    if (config.batch.growth.enabled()) return;
  }
}

/// Returns whether two stages read the same units in the same order.
bool readsSameUnits(const RunStage& stage, const RunStage& other) {
  BatchConfig batch = stage.config.batch;
  // Packs are planned without regard to the batch, unless its micro-batches need equal ones.
  if (!batch.tokens.requiredMicrobatchesOfSameSize) {
    batch.globalTrainBatchSize = other.config.batch.globalTrainBatchSize;
    batch.deviceTrainMicrobatchSize = other.config.batch.deviceTrainMicrobatchSize;
    batch.rampup = other.config.batch.rampup;
  }
  const bool sameOrder = stage.config.data.shuffle == other.config.data.shuffle;
  const bool samples = !batch.tokens.enabled() && !other.config.batch.tokens.enabled();
  return readsSameData(stage.config, other.config) && sameOrder && (samples || batch == other.config.batch);
}

std::int64_t seedOf(const TrainConfig& run, std::size_t index) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(subKey(static_cast<std::uint64_t>(run.seed), index) & kLargest);
}

/// Returns the one document of the text; an undefined node if it has another number of them or cannot be parsed.
YAML::Node soleDocument(const std::string& yaml) {
  const config::ParsedYaml parsed = config::parseYaml(yaml);
  if (parsed.problem || parsed.documents.size() != 1) return YAML::Node(YAML::NodeType::Undefined);
  return parsed.documents.front();
}

ListSection sectionOf(const YAML::Node& node) {
  ListSection section;
  for (const auto& entry : node) {
    const bool text = entry.second.IsScalar() && entry.second.Tag() != "!";
    section.emplace_back(config::keyOf(entry.first), text                    ? entry.second.Scalar()
                                                     : entry.second.IsNull() ? ""
                                                                             : config::flowText(entry.second));
  }
  return section;
}

/// Returns `value`, quoted if it would end the section that it is written into.
std::string valueInSection(const std::string& value) {
  const YAML::Node section = soleDocument("{value: " + value + "}");
  const bool safe = section.IsDefined() && section.IsMap() && section.size() == 1 && section["value"];
  return safe ? value : config::quotedText(value);
}

}  // namespace

std::vector<RunStage> runStages(const TrainConfig& config) {
  const Time begin = Time::of(0, config.maxDuration.unit());
  if (config.stages.empty()) return {{"", config, config.maxDuration, begin, true, false, {}}};
  std::vector<RunStage> stages;
  Time from = begin;
  for (std::size_t index = 0; index < config.stages.size(); ++index) {
    const StageConfig& given = config.stages[index];
    RunStage stage{fieldOf(index), configOf(config, index), given.until, from, sets(given, "scheduler."), false, {}};
    fillWarmupStart(stage.config);
    if (index > 0 && !stage.hasOwnSchedule && !stages.front().hasOwnSchedule)
      stage.config.scheduler = stages.front().config.scheduler;  // begun under the ramp of the first stage
    const Time end = endOf(given, config.maxDuration).value_or(config.maxDuration);
    stage.config.maxDuration = lengthBetween(from, end);
    const bool hasSeed = index > 0 && sets(given, "seed");
    const bool goesOn = !hasSeed || stage.config.seed == stages.back().config.seed;
    stage.continuesPass = index > 0 && goesOn && readsSameUnits(stage, stages.back());
    if (index > 0 && !hasSeed)
      stage.config.seed = stage.continuesPass ? stages.back().config.seed : seedOf(config, index);
    for (const auto& [path, value] : given.settings) stage.changes.push_back(path + ": " + value);
    from = end;
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::vector<FieldProblem> checkRunStages(const TrainConfig& config) {
  Problems problems;
  if (config.stages.empty()) return problems;
  if (config.maxDuration.unit() == TimeUnit::Second) {
    problems.push_back(
        {"stages",
         formatText("stages end at counted places, but the run is {} of time; give max_duration in ep, ba, sp or tok",
                    config.maxDuration.text())});
    return problems;
  }
  TrainConfig run = config;
  run.stages.clear();
  checkEnds(config, problems);
  checkSchedules(config, problems);
  checkMasks(config, problems);
  checkCombined(config, checkRules(run), problems);
  return problems;
}

std::int64_t longestSequence(const TrainConfig& config) {
  std::int64_t longest = 0;
  for (const RunStage& stage : runStages(config)) longest = std::max(longest, stage.config.data.maxSeqLen);
  return longest;
}

bool readsSameData(const TrainConfig& stage, const TrainConfig& other) {
  DataConfig data = stage.data;
  // Masks are drawn while training.
  data.mlmProbability = other.data.mlmProbability;
  data.mlmProbabilityEnd = other.data.mlmProbabilityEnd;
  data.maskUnit = other.data.maskUnit;
  data.attentionAcrossDocuments = other.data.attentionAcrossDocuments;
  data.shuffle = other.data.shuffle;
  return data == other.data;
}

namespace config {
namespace {

/// Fields that a stage may set; a name ending in a dot stands for a whole group.
constexpr std::array<std::string_view, 16> kStageFields = {"seed",
                                                           "data.train",
                                                           "data.max_seq_len",
                                                           "data.mlm_probability",
                                                           "data.mask_unit",
                                                           "data.mlm_probability_end",
                                                           "data.join_documents",
                                                           "data.shuffle",
                                                           "data.attention_across_documents",
                                                           "batch.",
                                                           "scheduler.",
                                                           "optimizer.lr",
                                                           "optimizer.weight_decay",
                                                           "lr_scaling.",
                                                           "model.rope_theta",
                                                           "model.local_rope_theta"};

std::string stageFieldNames() {
  std::string names;
  for (const std::string_view name : kStageFields)
    names.append(names.empty() ? "" : ", ").append(name).append(name.back() == '.' ? "*" : "");
  return names;
}

ValueProblems readSettings(const YAML::Node& node, StageConfig& stage) {
  YAML::Node settings(YAML::NodeType::Map);
  for (const auto& entry : node)
    if (keyOf(entry.first) != "until") settings[entry.first] = entry.second;
  LoadedConfig scratch;
  ConfigReader(scratch, "", nullptr).readRoot(settings);
  ValueProblems problems;
  for (ConfigIssue& issue : scratch.errors)
    problems.push_back({"." + issue.field, std::move(issue.message), issue.line, issue.nearest});
  for (const auto& [path, place] : scratch.locations) {
    if (isStageField(path)) {
      stage.settings.emplace_back(path, findField(path)->get(scratch.config));
    } else {
      problems.push_back(
          {"." + path, formatText("is fixed for the whole run; a stage can set {}", stageFieldNames()), place.line});
    }
  }
  return problems;
}

Field weightField() {
  Field weight;
  weight.kind = FieldKind::Number;
  weight.minimum = 0;
  weight.minimumOpen = true;
  return weight;
}

ValueProblems readEvalSet(const YAML::Node& node, EvalSetConfig& set) {
  const Field& text = *findField("data.eval");
  if (!node.IsMap()) return readValue(node, text, set.text);
  return readSection(node, {"text", "weight"}, [&](const std::string& key, const YAML::Node& value) {
    return key == "text" ? readValue(value, text, set.text) : readValue(value, weightField(), set.weight);
  });
}

ValueProblems readSource(const YAML::Node& node, const Field& field, TextSource& source) {
  if (!node.IsMap()) return readValue(node, field, source.text);
  ValueProblems problems =
      readSection(node, {"name", "path", "weight"}, [&](const std::string& key, const YAML::Node& value) {
        if (key == "path") return readValue(value, field, source.text);
        if (key == "weight") return readValue(value, weightField(), source.weight);
        ValueProblems found = readValue(value, field, source.name);
        if (!isName(source.name))
          found.push_back({"", "is not a valid name of a source; use 1 to 40 letters, digits, - and _", lineOf(value)});
        return found;
      });
  if (problems.empty() && source.text.empty())
    problems.push_back({".path", "is missing; name files, folders or patterns", lineOf(node)});
  return problems;
}

/// Returns a name for a source without one, by its first path: "web" for "text/web/*.txt".
std::string nameOfSource(const std::vector<std::string>& text, const std::set<std::string>& taken) {
  std::filesystem::path path = text.empty() ? "" : text.front();
  while (path.has_filename() ? path.filename().native().find('*') != std::string::npos : path.has_relative_path())
    path = path.parent_path();
  std::string name = path.stem().native().substr(0, 36);
  for (char& c : name)
    if (!isName(std::string(1, c))) c = '-';
  if (name.empty()) name = "text";
  std::string unlike = name;
  for (int i = 2; taken.contains(unlike); ++i) unlike = name + "-" + std::to_string(i);
  return unlike;
}

}  // namespace
}  // namespace config

bool isStageField(const std::string& path) {
  return std::ranges::any_of(config::kStageFields, [&](std::string_view allowed) {
    return allowed.back() == '.' ? path.starts_with(allowed) : path == allowed;
  });
}

namespace config {

ValueProblems readValue(const YAML::Node& node, const Field&, StageConfig& target) {
  const int line = lineOf(node);
  if (!node.IsMap())
    return {{"", formatText("{} is not a stage, such as {{until: 0.8dur, data.max_seq_len: 512}}", describeNode(node)),
             line}};
  if (!node["until"]) return {{".until", "is missing; give the end of the stage, such as 0.8dur", line}};
  ValueProblems problems;
  Field until = *findField("max_duration");
  until.units.push_back(TimeUnit::Duration);
  appendProblems(problems, ".until", readValue(node["until"], until, target.until));
  appendProblems(problems, "", node.size() > 1 ? readSettings(node, target) : ValueProblems{});
  return problems;
}

ValueProblems readValue(const YAML::Node& node, const Field& field, TrainingText& target) {
  const auto isSection = [](const YAML::Node& item) { return item.IsMap(); };
  if (!node.IsSequence() || std::none_of(node.begin(), node.end(), isSection)) {
    std::vector<std::string> text = target.names();
    ValueProblems problems = readValue(node, field, text);
    if (problems.empty()) target = std::move(text);
    return problems;
  }
  TrainingText found;
  ValueProblems problems;
  std::set<std::string> names;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const YAML::Node item = node[i];
    const std::string where = "[" + std::to_string(i) + "]";
    TextSource source;
    appendProblems(problems, where, readSource(item, field, source));
    if (source.name.empty()) source.name = nameOfSource(source.text, names);
    if (!names.insert(source.name).second) problems.push_back({where + ".name", "is given twice", lineOf(item)});
    if (i > 0 && problems.empty() && source.weight.has_value() != found.sources.front().weight.has_value())
      problems.push_back(
          {where + ".weight", "is missing for some sources; give all of them a weight, or none", lineOf(item)});
    found.sources.push_back(std::move(source));
  }
  if (problems.empty()) target = std::move(found);
  return problems;
}

ValueProblems readValue(const YAML::Node& node, const Field& field, std::vector<EvalSetConfig>& target) {
  if (!node.IsMap()) return unexpected(node, field);
  std::vector<EvalSetConfig> sets;
  ValueProblems problems;
  std::set<std::string> names;
  for (const auto& entry : node) {
    EvalSetConfig set;
    set.name = keyOf(entry.first);
    const int line = lineOf(entry.first);
    if (!isName(set.name))
      problems.push_back({"." + set.name, "is not a valid name of a set; use 1 to 40 letters, digits, - and _", line});
    if (!names.insert(set.name).second) problems.push_back({"." + set.name, "is given twice", line});
    appendProblems(problems, "." + set.name, readEvalSet(entry.second, set));
    if (problems.empty() && set.text.empty())
      problems.push_back({"." + set.name, "names no text; give files, folders or patterns", line});
    sets.push_back(std::move(set));
  }
  if (problems.empty()) target = std::move(sets);
  return problems;
}

}  // namespace config

std::optional<std::vector<ListSection>> parseSectionList(const std::string& yaml) {
  const YAML::Node list = soleDocument(yaml);
  if (!list.IsDefined() || !list.IsSequence()) return std::nullopt;
  std::vector<ListSection> sections;
  for (const YAML::Node& item : list) {
    if (!item.IsMap()) return std::nullopt;
    sections.push_back(sectionOf(item));
  }
  return sections;
}

std::string sectionListText(const std::vector<ListSection>& sections) {
  std::string text;
  for (const ListSection& section : sections) {
    std::string entries;
    for (const auto& [key, value] : section)
      if (!value.empty()) entries += (entries.empty() ? "" : ", ") + key + ": " + valueInSection(value);
    text += (text.empty() ? "{" : ", {") + entries + "}";
  }
  return "[" + text + "]";
}

std::vector<std::string> requiredKeys(const Field& field) {
  if (field.kind == FieldKind::Stages) return {"at", "global_train_batch_size"};
  if (field.kind == FieldKind::Schedule) return {"name", "duration"};
  return {};
}

std::vector<std::string> keyChoices(const Field& field, const std::string& key) {
  if (field.kind != FieldKind::Schedule) return {};
  const Field* same = findField(config::parentOf(field.path) + "." + key);
  return same == nullptr ? std::vector<std::string>() : same->choices;
}

std::vector<SectionProblem> checkSectionList(const Field& field, const std::string& yaml) {
  const YAML::Node list = soleDocument(yaml);
  std::vector<SectionProblem> found;
  if (!list.IsDefined()) return found;
  TrainConfig scratch;
  for (const config::ValueProblem& problem : field.read(scratch, list))
    if (const auto place = sectionPlace(problem.where)) found.push_back({place->first, place->second, problem.message});
  return found;
}

std::optional<std::pair<std::size_t, std::string>> sectionPlace(const std::string& place) {
  const std::size_t open = place.find('[');
  const std::size_t close = place.find(']');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  std::size_t index = 0;
  const char* const end = place.data() + close;
  if (std::from_chars(place.data() + open + 1, end, index).ptr != end) return std::nullopt;
  std::string key = close + 2 <= place.size() ? place.substr(close + 2) : std::string();
  key.resize(std::min(key.find('['), key.size()));
  return std::pair{index, std::move(key)};
}

}  // namespace batchwise
