// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/plan_review.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/format.h"
#include "core/run/launch/launch_check.h"
#include "core/store/records.h"
#include "core/text/demo_corpus.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr qsizetype kSampleCharacters = 120;

struct PlanReview {
  Q_DECLARE_TR_FUNCTIONS(PlanReview)
};

/// The beginning of the first document of a file; empty if it cannot be read.
std::string firstDocument(const std::filesystem::path& file, const DataConfig& data) {
  auto reader = DocumentReader::open(file, data.format, data.textField);
  std::string document;
  if (!reader.ok()) return {};
  const auto read = reader->next(document);
  return read.ok() && *read ? document : std::string();
}

QString oneLine(const std::string& text) {
  // Enough bytes for the characters shown; a cut one at the end is dropped with them.
  const QString start =
      QString::fromUtf8(text.data(), std::min<qsizetype>(static_cast<qsizetype>(text.size()), 8 * kSampleCharacters))
          .simplified();
  return start.size() > kSampleCharacters ? start.left(kSampleCharacters) + QStringLiteral("…") : start;
}

/// For equal data: both runs have the same number of steps and tokens.
bool sameLength(const TrainConfig& a, const TrainConfig& b) {
  return a.maxDuration == b.maxDuration && a.scaleScheduleRatio == b.scaleScheduleRatio && a.batch == b.batch &&
         a.stages == b.stages;
}

template <typename Number>
std::optional<Number> sumOf(const std::vector<PlannedRun>& runs, std::optional<Number> PlannedRun::*value) {
  Number sum = 0;
  for (const PlannedRun& run : runs) {
    if (!(run.*value)) return std::nullopt;
    sum += *(run.*value);
  }
  return sum;
}

std::vector<std::string> valuesOf(const TrainConfig& config, const std::vector<SweepAxis>& axes) {
  std::vector<std::string> values;
  for (const SweepAxis& axis : axes) values.push_back(findField(axis.field)->get(config));
  return values;
}

}  // namespace

TextReview reviewText(const DataConfig& data, const std::filesystem::path& baseFolder) {
  TextReview review;
  review.demo = data.format == TextFormat::Demo;
  if (review.demo) {
    review.sample = oneLine(demoCorpus({.seed = static_cast<std::uint64_t>(data.demoSeed), .paragraphs = 1}));
    return review;
  }
  const auto files = findTextFiles(data.train, baseFolder, data.format);
  if (!files.ok() || files->empty()) return review;
  review.files = static_cast<std::int64_t>(files->size());
  review.bytes = sizeOnDisk(*files);
  review.sample = oneLine(firstDocument(files->front(), data));
  return review;
}

QString textLine(const TextReview& text) {
  if (text.demo) return PlanReview::tr("Text of the demo, generated");
  if (text.files == 0) return {};
  return plural(text.files, PlanReview::tr("%n file, %1"), PlanReview::tr("%n files, %1"))
      .arg(toQt(formatBytes(text.bytes)));
}

std::vector<PlannedRun> planRuns(const std::vector<LoadedConfig>& runs, const std::vector<SweepAxis>& axes,
                                 const PlanAssumptions& assumptions, const CostOf& costOf) {
  std::vector<PlannedRun> planned;
  if (runs.empty()) return planned;
  const TrainConfig& first = runs.front().config;
  const auto firstEnd = plannedEnd(first, assumptions);
  for (const LoadedConfig& run : runs) {
    const TrainConfig& config = run.config;
    PlannedRun& made = planned.emplace_back(PlannedRun{runName(config), valuesOf(config, axes), {}, {}, {}, {}});
    if (config.data != first.data || config.tokenizer != first.tokenizer) continue;
    const auto end = sameLength(config, first) ? firstEnd : plannedEnd(config, assumptions);
    if (!end) continue;
    made.steps = end->totals.steps;
    made.tokens = end->totals.tokens;
    made.warnings = end->warnings;
    if (const auto cost = costOf(run, end->stageTotals)) made.seconds = cost->seconds;
  }
  return planned;
}

std::optional<double> totalSeconds(const std::vector<PlannedRun>& runs) {
  return sumOf(runs, &PlannedRun::seconds);
}

std::optional<std::int64_t> totalTokens(const std::vector<PlannedRun>& runs) {
  return sumOf(runs, &PlannedRun::tokens);
}

std::vector<FieldProblem> otherWarnings(const std::vector<PlannedRun>& runs, const std::vector<FieldProblem>& shown) {
  std::vector<FieldProblem> known = shown, others;
  for (const PlannedRun& run : runs)
    for (const FieldProblem& warning : run.warnings) {
      const auto isSame = [&](const FieldProblem& other) {
        return other.field == warning.field && other.message == warning.message;
      };
      if (std::ranges::any_of(known, isSame)) continue;
      known.push_back(warning);
      others.push_back({warning.field, inContextText(runContextText(run.name), warning.message)});
    }
  return others;
}

std::vector<FieldProblem> sweepWarnings(const std::vector<SweepAxis>& axes) {
  const auto varies = [&axes](const char* field) {
    return std::ranges::find(axes, field, &SweepAxis::field) != axes.end();
  };
  if (!varies("batch.tokens.max_tokens") || varies("batch.global_train_batch_size")) return {};
  return {
      {"batch.tokens.max_tokens",
       "differs between the runs while batch.global_train_batch_size does not, so their steps have different numbers "
       "of tokens"}};
}

std::vector<FieldProblem> reviewWarnings(const TrainConfig& config, const PlanPreview& plan, const Lengths* lengths) {
  std::vector<FieldProblem> warnings;
  if (lengths != nullptr)
    if (const auto enough = checkEnoughSamples(config, *lengths); !enough.ok())
      warnings.push_back({"batch.global_train_batch_size", enough.error().message});
  for (const FieldProblem& mistake : findLikelyMistakes(config)) warnings.push_back(mistake);
  for (const FieldProblem& warning : plan.warnings) warnings.push_back(warning);
  return warnings;
}

}  // namespace batchwise
