// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/measured_alike.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/events/metric.h"
#include "core/config/schema.h"

namespace batchwise {
namespace {

bool isEmpty(const std::string& value) {
  return value.empty() || value == "[]" || value == "\"\"";
}

/// Fields that only have an effect where documents are joined.
constexpr std::array kJoinFields = {"data.document_separator", "data.attention_across_documents"};

bool joinsDocuments(const ConfigValues& config) {
  return valueOf(config, "data.join_documents") != "false";
}

bool trainsTokenizer(const ConfigValues& config) {
  return hasEffect(config, "tokenizer.train.vocab_size");
}

/// Returns whether two runs are known to have the same tokenizer, whatever their settings are.
bool haveSameTokenizer(const MeasuredRun& run, const MeasuredRun& other) {
  return !run.tokenizer.empty() && run.tokenizer == other.tokenizer;
}

/// Returns whether two runs are known to have different tokenizers, whatever their settings are.
bool haveOtherTokenizer(const MeasuredRun& run, const MeasuredRun& other) {
  return !run.tokenizer.empty() && !other.tokenizer.empty() && run.tokenizer != other.tokenizer;
}

/// Returns the fields that decide which tokenizers two runs have, none if these are known to be the same. Of tokenizers
/// that are known to differ, model.init_from may be the reason.
std::vector<std::string> tokenizerFields(const MeasuredRun& run, const MeasuredRun& other) {
  if (haveSameTokenizer(run, other)) return {};
  std::vector<std::string> fields = {"tokenizer.path", "tokenizer.lowercase"};
  if (haveOtherTokenizer(run, other)) fields.emplace_back("model.init_from");
  if (trainsTokenizer(*run.config) && trainsTokenizer(*other.config))
    fields.insert(fields.end(), {"tokenizer.train.kind", "tokenizer.train.vocab_size", "data.train"});
  return fields;
}

bool haveKnownTexts(const MeasuredRun& run, const MeasuredRun& other) {
  return !run.evaluationText.empty() && !other.evaluationText.empty();
}

/// Returns the settings, beside texts and tokenizer, that decide what the evaluations of two runs measure.
std::set<std::string> maskFields(const ConfigValues& config) {
  std::set<std::string> fields = {"data.max_seq_len", "data.join_documents", "eval.seed", "eval.mlm_probability",
                                  "eval.draws"};
  if (joinsDocuments(config)) fields.insert(kJoinFields.begin(), kJoinFields.end());
  return fields;
}

/// Returns the settings that say which evaluation texts two runs have, none if these are known to be the same.
std::set<std::string> textFields(const MeasuredRun& run, const MeasuredRun& other) {
  if (haveKnownTexts(run, other) && run.evaluationText == other.evaluationText) return {};
  std::set<std::string> fields = {"data.format", "data.text_field", "data.eval", "eval.sets"};
  for (const MeasuredRun* each : {&run, &other}) {
    if (valueOf(*each->config, "data.format") == "demo") fields.insert("data.demo_seed");
    if (!isEmpty(valueOf(*each->config, "data.eval"))) continue;
    fields.insert("data.train");
    fields.insert("data.holdout");
  }
  return fields;
}

/// Returns the fields that decide what the evaluations of two runs measure.
std::set<std::string> decidingFields(const MeasuredRun& run, const MeasuredRun& other) {
  std::set<std::string> fields = maskFields(*run.config);
  fields.merge(textFields(run, other));
  for (std::string& field : tokenizerFields(run, other)) fields.insert(std::move(field));
  return fields;
}

/// Returns the hash of an evaluation text by the name of its set; of data.eval or the held-out share by "".
std::map<std::string, std::string> hashesOfSets(const std::string& evaluationText) {
  std::map<std::string, std::string> hashes;
  std::istringstream words(evaluationText);
  std::string name, hash;
  if (!evaluationText.starts_with(' ') && words >> hash) hashes[""] = hash;
  while (words >> name >> hash) hashes[name] = hash;
  return hashes;
}

/// Returns the name of the evaluation set that a series is of: "own" for "eval.own.loss"; nothing for a mean over all.
std::optional<std::string> setOf(std::string_view series) {
  const std::size_t begin = series.find('.'), end = series.rfind('.');
  if (begin == series.npos || begin == end) return std::nullopt;
  const std::string name(series.substr(begin + 1, end - begin - 1));
  return name == "eval" || name == "held_out" ? std::string() : name;
}

/// Returns the weights of the evaluation sets as text; empty without sets.
std::string weightsOfSets(const ConfigValues& config) {
  TrainConfig run;
  const std::string sets = valueOf(config, "eval.sets");
  if (isEmpty(sets) || !findField("eval.sets")->set(run, sets).empty()) return "";
  return joined(run.eval.sets, ",", [](const EvalSetConfig& set) { return set.name + "=" + formatExact(set.weight); });
}

/// Joins up to four names; more become "a, b, c and 17 more".
std::string joinedNames(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  const std::size_t shown = names.size() <= kMost ? names.size() : kMost - 1;
  const std::string text = joined(std::span(names).first(shown));
  return shown == names.size() ? std::string(text) : formatText("{} and {} more", text, names.size() - shown);
}

/// Collects the runs that were not measured like the first.
struct Unlike {
  std::vector<std::string> runs;
  std::set<std::string> fields;  ///< in which they differ; empty if only the text or the tokenizer has changed
  bool hasOtherTokenizer = false;

  void compare(const MeasuredRun& first, const MeasuredRun& other) {
    const bool isOther = haveOtherTokenizer(first, other);
    hasOtherTokenizer = hasOtherTokenizer || isOther;
    bool differs = first.evaluationTokens != other.evaluationTokens || isOther ||
                   (haveKnownTexts(first, other) && first.evaluationText != other.evaluationText);
    if (weightsOfSets(*first.config) != weightsOfSets(*other.config)) {
      fields.insert("eval.sets");
      differs = true;
    }
    for (const std::string& field : decidingFields(first, other)) {
      if (valueOf(*first.config, field) == valueOf(*other.config, field)) continue;
      fields.insert(field);
      differs = true;
    }
    if (differs) runs.push_back(other.name);
  }

  std::string reason() const {
    const std::string names = joined(fields);
    if (!names.empty()) return formatText("they differ in {}", names);
    return formatText("the {} has changed", hasOtherTokenizer ? "tokenizer" : "text");
  }
};

/// Returns what the stages of a run change in how its training loss is measured, and where; empty if nothing.
std::string measuredStages(const ConfigValues& config) {
  TrainConfig run;
  const std::string text = valueOf(config, "stages");
  if (text.empty() || !findField("stages")->set(run, text).empty()) return text;
  std::string all;
  bool changes = false;
  for (const StageConfig& stage : run.stages) {
    all += stage.until.text();
    for (const auto& [field, value] : stage.settings) {
      if (!field.starts_with("data.") || field == "data.shuffle") continue;
      all += " " + field + ": " + value;
      changes = true;
    }
    all += "\n";
  }
  return changes ? all : "";
}

/// Returns what decides where in a run its training loss is measured in another way; empty if it never is.
std::string measuredPlaces(const ConfigValues& config) {
  static const std::string constant = findField("data.mlm_probability_end")->get(TrainConfig{});
  const std::string stages = measuredStages(config), rateEnd = valueOf(config, "data.mlm_probability_end");
  const bool ramps = !rateEnd.empty() && rateEnd != constant && rateEnd != valueOf(config, "data.mlm_probability");
  if (stages.empty() && !ramps) return "";
  return stages + (ramps ? rateEnd + " " : "") + valueOf(config, "max_duration") + " " +
         valueOf(config, "scale_schedule_ratio");
}

/// Returns the share of hidden features that a run drops in training; empty of one that starts from a folder, which
/// decides it unless it is set.
std::string hiddenDropout(const ConfigValues& config) {
  static const std::string ofFamily = findField("model.hidden_dropout_prob")->get(TrainConfig{});
  constexpr std::array kFamiliesWithout = {"modernbert", "eurobert", "neobert"};
  const std::string& share = valueOf(config, "model.hidden_dropout_prob");
  if (share != ofFamily) return share;
  if (!isEmpty(valueOf(config, "model.init_from")) || !isEmpty(valueOf(config, "model.tile_from"))) return "";
  const std::string family = plainValue(config, "model.family");
  const auto isOfFamily = [&](const char* name) { return family == name; };
  return formatExact(std::ranges::any_of(kFamiliesWithout, isOfFamily) ? 0.0 : 0.1);
}

/// Returns whether the losses of two runs are raised by different dropout, which evaluations are without.
bool haveOtherDropout(const ConfigValues& config, const ConfigValues& other) {
  const std::string share = hiddenDropout(config), otherShare = hiddenDropout(other);
  return !share.empty() && !otherShare.empty() && share != otherShare;
}

template <typename Fields>
bool haveEqual(const MeasuredRun& run, const MeasuredRun& other, const Fields& fields) {
  return std::ranges::all_of(
      fields, [&](const std::string& field) { return valueOf(*run.config, field) == valueOf(*other.config, field); });
}

}  // namespace

std::string evaluationSet(const ConfigValues& config, const std::string& evaluationText, const std::string& tokenizer) {
  constexpr std::size_t kLetters = 6;
  std::string all = evaluationText + "\n" + tokenizer + "\n" + weightsOfSets(config);
  for (const std::string& field : maskFields(config)) all += "\n" + field + "=" + valueOf(config, field);
  std::string name = hash128(all).hex().substr(0, kLetters);
  for (char& digit : name) digit = static_cast<char>(digit < 'a' ? 'a' + (digit - '0') : digit + 10);  // no number
  return name;
}

bool isEvaluatedAlike(const MeasuredRun& run, const MeasuredRun& other, std::string_view series) {
  if (run.isExternal || other.isExternal) return false;
  if (run.config->empty() || other.config->empty()) return true;
  if (isOfTask(series)) return valueOf(*run.config, "tasks") == valueOf(*other.config, "tasks");
  if (!run.evaluationTokens || !other.evaluationTokens) return true;  // there is nothing to compare
  const bool ofBytes = series.ends_with(".bits_per_byte");
  if (const auto set = setOf(series); (set || ofBytes) && haveKnownTexts(run, other)) {
    if (!ofBytes && haveOtherTokenizer(run, other)) return false;
    if (!haveEqual(run, other, maskFields(*run.config))) return false;
    if (!set)
      return run.evaluationText == other.evaluationText && weightsOfSets(*run.config) == weightsOfSets(*other.config);
    const auto hashes = hashesOfSets(run.evaluationText), otherHashes = hashesOfSets(other.evaluationText);
    return hashes.contains(*set) && otherHashes.contains(*set) && hashes.at(*set) == otherHashes.at(*set);
  }
  Unlike unlike;
  unlike.compare(run, other);
  return unlike.runs.empty();
}

bool isTrainingLossAlike(const MeasuredRun& run, const MeasuredRun& other) {
  if (run.isExternal || other.isExternal) return false;
  if (run.config->empty() || other.config->empty()) return true;
  const bool knowsTexts = !run.trainingText.empty() && !other.trainingText.empty();
  if (haveOtherTokenizer(run, other) || (knowsTexts && run.trainingText != other.trainingText)) return false;
  if (haveOtherDropout(*run.config, *other.config)) return false;
  std::vector<std::string> fields = tokenizerFields(run, other);
  fields.insert(fields.end(), {"data.join_documents", "data.max_seq_len", "data.mlm_probability", "data.mask_unit",
                               "model.attention_probs_dropout_prob", "model.layer_drop"});
  if (!knowsTexts) fields.insert(fields.end(), {"data.format", "data.train", "data.text_field"});
  const bool stageDecides = measuredStages(*run.config).find("data.join_documents") != std::string::npos;
  if (joinsDocuments(*run.config) || stageDecides) fields.insert(fields.end(), kJoinFields.begin(), kJoinFields.end());
  if (!knowsTexts && valueOf(*run.config, "data.format") == "demo") fields.emplace_back("data.demo_seed");
  return haveEqual(run, other, fields) && measuredPlaces(*run.config) == measuredPlaces(*other.config);
}

std::vector<std::string> evaluationNotes(std::span<const MeasuredRun> runs) {
  std::vector<std::string> notes;
  const MeasuredRun* first = nullptr;
  Unlike unlike;
  for (const MeasuredRun& run : runs) {
    if (!run.evaluationTokens || run.config->empty() || run.isExternal) continue;
    if (first == nullptr)
      first = &run;
    else
      unlike.compare(*first, run);
  }
  if (!unlike.runs.empty())
    notes.push_back(formatText("the evaluations of {} and {} were not measured alike: {}", first->name,
                               joinedNames(unlike.runs), unlike.reason()));
  return notes;
}

std::string unknownMeasurementNote(std::span<const MeasuredRun> runs) {
  std::vector<std::string> names;
  for (const MeasuredRun& run : runs)
    if (run.isExternal) names.push_back(run.name);
  return names.empty()
             ? std::string()
             : formatText(
                   "text, tokenizer and masks that other programs measured with are unknown, so losses have no "
                   "verdict beside those of {}",
                   joinedNames(names));
}

std::string plannedEvaluationNote(const MeasuredRun& baseline, const MeasuredRun& planned) {
  Unlike unlike;
  unlike.compare(baseline, planned);
  return unlike.runs.empty() ? std::string()
                             : formatText("the evaluations will not be measured like those of the baseline {}: {}",
                                          baseline.name, unlike.reason());
}

std::string trainingTextNote(std::span<const MeasuredRun> runs) {
  std::vector<std::string> names;
  for (const MeasuredRun& run : runs)
    if (!run.trainingText.empty() && !runs.front().trainingText.empty() &&
        run.trainingText != runs.front().trainingText &&
        haveEqual(run, runs.front(), std::array{"data.train", "data.format", "data.text_field", "data.holdout"}))
      names.push_back(run.name);
  return names.empty() ? std::string()
                       : formatText("the training text of {} and {} is not the same: it has changed", runs.front().name,
                                    joinedNames(names));
}

std::string trainingLossNote(std::span<const MeasuredRun> runs) {
  double most = 0, fewest = 0;
  for (const MeasuredRun& run : runs) {
    if (!run.mostParts) continue;
    most = std::max(most, *run.mostParts);
    fewest = fewest > 0 ? std::min(fewest, *run.mostParts) : *run.mostParts;
  }
  if (most <= fewest) return {};
  std::vector<std::string> names;
  for (const MeasuredRun& run : runs)
    if (run.mostParts && *run.mostParts > fewest) names.push_back(run.name);
  return formatText(
      "a global batch has up to {} optimizer steps in {} and {} in the others: where it has several, training loss is "
      "taken after up to {} inside the batch, which flatters it, so only evaluations decide there",
      static_cast<std::int64_t>(most), joinedNames(names), static_cast<std::int64_t>(fewest),
      countText(static_cast<std::int64_t>(most) - 1, "update"));
}

std::string repeatedSeedsNote(const std::vector<std::string>& names) {
  return names.empty() ? std::string()
                       : formatText("not counted in a mean, because another run has the same settings and seed: {}",
                                    joinedNames(names));
}

std::string besideOthersNote(const std::vector<std::string>& names) {
  return names.empty()
             ? std::string()
             : formatText("{} ran beside other runs on the same machine, so times, speeds and memory have no verdict",
                          joinedNames(names));
}

std::string startingWeightsNote(std::span<const MeasuredRun> runs) {
  std::vector<std::string> trained;
  std::size_t read = 0;
  for (const MeasuredRun& run : runs) {
    if (run.config->empty()) continue;
    ++read;
    if (!isEmpty(valueOf(*run.config, "model.init_from")) || !isEmpty(valueOf(*run.config, "model.tile_from")))
      trained.push_back(run.name);
  }
  if (trained.empty() || trained.size() == read) return {};
  return formatText(
      "{} started from trained weights (model.init_from or model.tile_from), the others from random weights: equal "
      "tokens do not mean equal training",
      joinedNames(trained));
}

}  // namespace batchwise
