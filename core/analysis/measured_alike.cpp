// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/measured_alike.h"

#include <algorithm>
#include <set>

#include "core/analysis/messages.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

std::string valueOf(const ConfigValues& config, const std::string& field) {
  const auto found = config.find(field);
  if (found != config.end()) return found->second;
  return field == "tokenizer.train.kind" ? "wordpiece" : "";  // the only one of earlier versions
}

bool isEmpty(const std::string& value) {
  return value.empty() || value == "[]" || value == "\"\"";
}

/// Returns the fields that decide what an evaluation of this configuration measures.
std::vector<std::string> decidingFields(const ConfigValues& config) {
  std::vector<std::string> fields = {
      "data.format",         "data.text_field",         "data.max_seq_len",
      "data.join_documents", "tokenizer.path",          "tokenizer.lowercase",
      "eval.seed",           "eval.mlm_probability",    "data.eval",
      "eval.sets",           "data.document_separator", "data.attention_across_documents"};
  const bool demo = valueOf(config, "data.format") == "demo";
  const bool trainsVocabulary = isEmpty(valueOf(config, "tokenizer.path"));
  const bool heldOut = isEmpty(valueOf(config, "data.eval"));
  if (demo) fields.emplace_back("data.demo_seed");
  if (trainsVocabulary) fields.insert(fields.end(), {"tokenizer.train.kind", "tokenizer.train.vocab_size"});
  if (trainsVocabulary || heldOut) fields.emplace_back("data.train");
  if (heldOut) fields.emplace_back("data.holdout");
  return fields;
}

/// Joins up to four names; more become "a, b, c and 17 more".
Message joinedNames(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  const std::size_t shown = names.size() <= kMost ? names.size() : kMost - 1;
  const std::string text = joined(std::span(names).first(shown));
  return shown == names.size() ? Message::verbatim(text) : messages::runNamesAndMore(text, names.size() - shown);
}

/// Collects the runs that were not measured like the first.
struct Unlike {
  std::vector<std::string> runs;
  std::set<std::string> fields;  ///< in which they differ; empty if only the text has changed

  void compare(const MeasuredRun& first, const MeasuredRun& other) {
    bool differs = first.evaluationTokens != other.evaluationTokens;
    for (const MeasuredRun* run : {&first, &other})
      for (const std::string& field : decidingFields(*run->config)) {
        if (valueOf(*first.config, field) == valueOf(*other.config, field)) continue;
        fields.insert(field);
        differs = true;
      }
    if (differs) runs.push_back(other.name);
  }

  Message reason() const {
    const std::string names = joined(fields);
    return names.empty() ? messages::measuredTextChanged() : messages::measuredFieldsDiffer(names);
  }
};

bool haveEqual(const MeasuredRun& run, const MeasuredRun& other, const std::vector<std::string>& fields) {
  return std::ranges::all_of(
      fields, [&](const std::string& field) { return valueOf(*run.config, field) == valueOf(*other.config, field); });
}

}  // namespace

bool isEvaluatedAlike(const MeasuredRun& run, const MeasuredRun& other) {
  if (run.config->empty() || other.config->empty()) return true;
  if (!run.evaluationTokens || !other.evaluationTokens) return true;  // there is nothing to compare
  if (run.masksOfTraining != other.masksOfTraining) return false;
  if (run.masksOfTraining && !haveEqual(run, other, {"seed", "data.mlm_probability"})) return false;
  Unlike unlike;
  unlike.compare(run, other);
  return unlike.runs.empty();
}

bool isTrainingLossAlike(const MeasuredRun& run, const MeasuredRun& other) {
  if (run.config->empty() || other.config->empty()) return true;
  std::vector<std::string> fields = {"data.format",         "data.train",          "data.text_field",
                                     "data.join_documents", "tokenizer.path",      "tokenizer.lowercase",
                                     "data.max_seq_len",    "data.mlm_probability"};
  if (valueOf(*run.config, "data.format") == "demo") fields.emplace_back("data.demo_seed");
  if (isEmpty(valueOf(*run.config, "tokenizer.path")))
    fields.insert(fields.end(), {"tokenizer.train.kind", "tokenizer.train.vocab_size"});
  return haveEqual(run, other, fields);
}

std::vector<Message> evaluationNotes(std::span<const MeasuredRun> runs) {
  std::vector<Message> notes;
  std::vector<std::string> earlier;
  const MeasuredRun* first = nullptr;
  Unlike unlike;
  for (const MeasuredRun& run : runs) {
    if (!run.evaluationTokens || run.config->empty()) continue;
    if (run.masksOfTraining) earlier.push_back(run.name);
    if (first == nullptr)
      first = &run;
    else
      unlike.compare(*first, run);
  }
  if (!earlier.empty() && runs.size() > 1) notes.push_back(messages::evaluatedWithTrainingMasks(joinedNames(earlier)));
  if (!unlike.runs.empty())
    notes.push_back(messages::evaluationNotAlike(first->name, joinedNames(unlike.runs), unlike.reason()));
  return notes;
}

Message trainingLossNote(std::span<const MeasuredRun> runs) {
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
  return messages::stepsPerBatchDiffer(static_cast<std::int64_t>(most), joinedNames(names),
                                       static_cast<std::int64_t>(fewest));
}

}  // namespace batchwise
