// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/run_columns.h"

#include <QtCore/QObject>
#include <cmath>

#include "core/base/format.h"
#include "core/config/events/metric.h"
#include "core/config/schema.h"
#include "core/trackers/run_source.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

using Values = RunColumn::Values;

const QString kBytesKey = QStringLiteral("checkpoints"), kEvaluationSetKey = QStringLiteral("evaluation_set"),
              kSourceKey = QStringLiteral("source");
const QString kScorePrefix = QStringLiteral("score:"), kSettingPrefix = QStringLiteral("setting:");

QString withUnit(const QString& title, const QString& unit) {
  return unit.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit);
}

QString stateWithArchive(const RunSummary& run) {
  return run.archived ? QObject::tr("%1, archived").arg(stateText(run)) : stateText(run);
}

QString whyItEnded(const RunSummary& run) {
  return run.reason.empty() ? stateText(run) : stateText(run) + QLatin1Char('\n') + sentenceCase(toQt(run.reason));
}

QString tagText(const RunSummary& run) {
  return toQt(run.tags).join(QStringLiteral(", "));
}

QString nameTagsAndNote(const RunSummary& run) {
  QStringList lines{toQt(run.name)};
  if (isExternal(run))
    lines << QObject::tr("%1: %2", "a program and its files").arg(toQt(sourceTitle(run.source)), toQt(run.sourcePath));
  if (!run.tags.empty()) lines << QObject::tr("Tags: %1").arg(tagText(run));
  if (!run.note.empty()) lines << toQt(run.note);
  return lines.join(QLatin1Char('\n'));
}

/// None if the number of planned global batches is unknown.
std::optional<double> shareDone(const RunSummary& run) {
  if (run.plannedBatches <= 0) return std::nullopt;
  return static_cast<double>(run.at.batch) / static_cast<double>(run.plannedBatches);
}

QString batchesDone(const RunSummary& run) {
  if (isExternal(run)) return plural(run.at.batch, QObject::tr("%n step"), QObject::tr("%n steps"));
  if (run.plannedBatches <= 0)
    return plural(run.at.batch, QObject::tr("%n global batch"), QObject::tr("%n global batches"));
  return QObject::tr("%1 of %2 global batches").arg(integerText(run.at.batch), integerText(run.plannedBatches));
}

std::optional<double> numberIn(const QString& text) {
  bool isNumber = false;
  const double number = text.toDouble(&isNumber);
  return isNumber ? std::optional(number) : std::nullopt;
}

/// Returns none for NaN, which stands for a result that a run does not have.
std::optional<double> ifAny(std::optional<double> value) {
  return value && !std::isnan(*value) ? value : std::nullopt;
}

RunColumn bytesColumn(RunFacts& facts) {
  return {.key = kBytesKey,
          .title = QObject::tr("Size of the checkpoints"),
          .values = Values::Bytes,
          .number = [&facts](const RunSummary& run) -> std::optional<double> { return facts.checkpointBytes(run); },
          .isFigure = true,
          .digits = 7,
          .needs = RunColumn::Needs::Figures};
}

RunColumn evaluationSetColumn() {
  return {.key = kEvaluationSetKey,
          .title = QObject::tr("Evaluation set"),
          .about = QObject::tr(
              "Runs of the same evaluation set were measured alike; sorted by it, a line parts them from others"),
          .text = [](const RunSummary& run) { return toQt(run.evaluationSet); },
          .digits = 7};
}

RunColumn sourceColumn() {
  return {.key = kSourceKey,
          .title = QObject::tr("Program"),
          .about = QObject::tr("The program whose files the run was read from; empty for runs of Batchwise"),
          .text = [](const RunSummary& run) { return toQt(sourceTitle(run.source)); },
          .toolTip = [](const RunSummary& run) { return toQt(run.sourcePath); },
          .digits = 9};
}

RunColumn scoreColumn(const std::string& series, RunFacts& facts) {
  const SeriesLabel label = seriesLabel(series);
  return {.key = kScorePrefix + toQt(series),
          .title = withUnit(label.title, label.unit),
          .about = toQt(series),
          .values = Values::Decimal,
          .number = [&facts, series](const RunSummary& run) { return ifAny(facts.score(run, series)); },
          .isFigure = true,
          .isEvaluated = series.starts_with(kEvalPrefix) && !isOfTask(series),
          .digits = 7,
          .needs = RunColumn::Needs::Figures};
}

RunColumn settingColumn(const Field& field, RunFacts& facts) {
  const auto text = [&facts, path = field.path](const RunSummary& run) {
    const ConfigValues* config = facts.config(run);
    return config != nullptr && hasEffect(*config, path) ? toQt(plainValue(*config, path)) : QString();
  };
  return {.key = settingKey(field.path),
          .title = withUnit(fieldLabel(field.path), fieldUnit(field)),
          .about = toQt(field.path) + QLatin1Char('\n') + fieldHelp(field),
          .values = Values::Setting,
          .number = [text](const RunSummary& run) { return numberIn(text(run)); },
          .text = text,
          .toolTip = text,
          .digits = 8,
          .needs = RunColumn::Needs::Config};
}

}  // namespace

std::vector<RunColumn> standardColumns(RunFacts& facts) {
  const auto best = [&facts](const RunSummary& run) { return facts.bestEvaluation(run).value_or(BestEvaluation{}); };
  return {{.key = QStringLiteral("name"),
           .title = QObject::tr("Run"),
           .text = [](const RunSummary& run) { return toQt(run.name); },
           .toolTip = nameTagsAndNote,
           .digits = 27},
          {.key = QStringLiteral("state"),
           .title = QObject::tr("State"),
           .number = [](const RunSummary& run) { return 2.0 * static_cast<int>(run.status) + (run.paused ? 1 : 0); },
           .text = stateWithArchive,
           .toolTip = whyItEnded,
           .digits = 0},
          {.key = QStringLiteral("eval_loss"),
           .title = QObject::tr("Last evaluation loss (nats)"),
           .heading = QObject::tr("Last eval."),
           .about = QObject::tr("Newest evaluation loss, nats per masked token, or what another program calls so"),
           .values = Values::Decimal,
           .number = &RunSummary::evalLoss,
           .isFigure = true,
           .isLoss = true,
           .isEvaluated = true},
          {.key = QStringLiteral("best_eval_loss"),
           .title = QObject::tr("Best evaluation loss (nats)"),
           .about = QObject::tr("Lowest evaluation loss, nats per masked token, or what another program calls so"),
           .values = Values::Decimal,
           .number = [best](const RunSummary& run) { return ifAny(best(run).loss); },
           .isFigure = true,
           .isLoss = true,
           .isEvaluated = true,
           .needs = RunColumn::Needs::Figures},
          {.key = QStringLiteral("best_eval_batch"),
           .title = QObject::tr("Batch of the best evaluation"),
           .values = Values::Count,
           .number = [best](const RunSummary& run) -> std::optional<double> {
             if (std::isnan(best(run).loss)) return std::nullopt;
             return static_cast<double>(best(run).batch);
           },
           .isFigure = true,
           .digits = 7,
           .needs = RunColumn::Needs::Figures},
          {.key = QStringLiteral("loss"),
           .title = QObject::tr("Last loss (nats)"),
           .about = QObject::tr("Newest training loss, nats per masked token, or what another program calls so"),
           .values = Values::Decimal,
           .number = &RunSummary::loss,
           .isFigure = true,
           .isLoss = true},
          {.key = QStringLiteral("done"),
           .title = QObject::tr("Done"),
           .about = QObject::tr("Share of the planned global batches; steps of other programs"),
           .values = Values::Share,
           .number = shareDone,
           .text = [](const RunSummary& run) { return integerText(run.at.batch); },
           .toolTip = batchesDone,
           .digits = 10},
          {.key = QStringLiteral("speed"),
           .title = QObject::tr("Speed (tok/s)"),
           .values = Values::Decimal,
           .number = &RunSummary::tokensPerSec,
           .isFigure = true},
          {.key = QStringLiteral("tokens"),
           .title = QObject::tr("Tokens"),
           .values = Values::Tokens,
           .number = [](const RunSummary& run) -> std::optional<double> {
             if (isExternal(run) && run.at.token == 0) return std::nullopt;  // it did not log them
             return static_cast<double>(run.at.token);
           },
           .isFigure = true},
          {.key = QStringLiteral("duration"),
           .title = QObject::tr("Duration"),
           .about = QObject::tr("Training time, without evaluation, checkpoints and pauses"),
           .values = Values::Duration,
           .number = [](const RunSummary& run) { return run.at.seconds; },
           .toolTip = [](const RunSummary& run) { return QObject::tr("%1 s").arg(run.at.seconds, 0, 'f', 1); },
           .isFigure = true,
           .digits = 11},
          {.key = QStringLiteral("created"),
           .title = QObject::tr("Created"),
           .values = Values::Date,
           .number = [](const RunSummary& run) { return static_cast<double>(run.createdMs); },
           .toolTip = [](const RunSummary& run) { return exactTimeText(run.createdMs); },
           .digits = 16},
          {.key = QStringLiteral("tags"),
           .title = QObject::tr("Tags"),
           .text = tagText,
           .toolTip = nameTagsAndNote,
           .digits = 9}};
}

std::optional<RunColumn> furtherColumn(const QString& key, RunFacts& facts) {
  if (key == kBytesKey) return bytesColumn(facts);
  if (key == kEvaluationSetKey) return evaluationSetColumn();
  if (key == kSourceKey) return sourceColumn();
  if (key.startsWith(kScorePrefix)) return scoreColumn(key.mid(kScorePrefix.size()).toStdString(), facts);
  const Field* field =
      key.startsWith(kSettingPrefix) ? findField(key.mid(kSettingPrefix.size()).toStdString()) : nullptr;
  return field == nullptr ? std::nullopt : std::optional(settingColumn(*field, facts));
}

QStringList furtherColumns(const QStringList& series) {
  QStringList scores{QStringLiteral("eval.perplexity"), QStringLiteral("eval.accuracy")};
  for (const QString& each : series)
    if (isScoreSeries(each.toStdString()) && !scores.contains(each)) scores << each;
  QStringList keys{kBytesKey, kEvaluationSetKey, kSourceKey};
  for (const QString& score : scores) keys << kScorePrefix + score;
  for (const Field& field : configSchema()) keys << settingKey(field.path);
  return keys;
}

QString settingKey(const std::string& path) {
  return kSettingPrefix + toQt(path);
}

}  // namespace batchwise
