// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/labels.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QRegularExpression>
#include <QtCore/QStringList>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

struct FieldLabels {
  Q_DECLARE_TR_FUNCTIONS(FieldLabels)
};

/// "keep_last" -> "Keep last".
QString spelledOut(const std::string& name) {
  QString words = toQt(name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words;
}

/// Translation context.
struct SeriesLabels {
  Q_DECLARE_TR_FUNCTIONS(SeriesLabels)
};

struct SeriesText {
  const char *series, *title, *unit;  // unit: null for none
};

constexpr const char* kLossUnit = QT_TRANSLATE_NOOP("SeriesLabels", "nats per masked token");

constexpr std::array kSeriesTexts = {
    SeriesText{"loss", QT_TRANSLATE_NOOP("SeriesLabels", "Loss"), kLossUnit},
    SeriesText{"eval.loss", QT_TRANSLATE_NOOP("SeriesLabels", "Evaluation loss"), kLossUnit},
    SeriesText{"lr", QT_TRANSLATE_NOOP("SeriesLabels", "Learning rate"), QT_TRANSLATE_NOOP("SeriesLabels", "per step")},
    SeriesText{"step_samples", QT_TRANSLATE_NOOP("SeriesLabels", "Batch size"),
               QT_TRANSLATE_NOOP("SeriesLabels", "samples per step")},
    SeriesText{"tokens_per_sec", QT_TRANSLATE_NOOP("SeriesLabels", "Speed"),
               QT_TRANSLATE_NOOP("SeriesLabels", "tokens per second")},
    SeriesText{"grad_norm", QT_TRANSLATE_NOOP("SeriesLabels", "Gradient norm"),
               QT_TRANSLATE_NOOP("SeriesLabels", "before clipping")},
    SeriesText{"samples_per_sec", QT_TRANSLATE_NOOP("SeriesLabels", "Samples per second"), nullptr},
    SeriesText{"step_sec", QT_TRANSLATE_NOOP("SeriesLabels", "Seconds per step"), nullptr},
    SeriesText{"fill", QT_TRANSLATE_NOOP("SeriesLabels", "Micro-batch fill"), nullptr},
    SeriesText{"parts", QT_TRANSLATE_NOOP("SeriesLabels", "Steps per global batch"), nullptr},
    SeriesText{"global_batch_samples", QT_TRANSLATE_NOOP("SeriesLabels", "Samples per global batch"), nullptr},
    SeriesText{"noise_scale", QT_TRANSLATE_NOOP("SeriesLabels", "Gradient noise scale"), nullptr},
    SeriesText{"grad_norm_mean", QT_TRANSLATE_NOOP("SeriesLabels", "Mean gradient norm"),
               QT_TRANSLATE_NOOP("SeriesLabels", "before clipping")},
    SeriesText{"attention_logit", QT_TRANSLATE_NOOP("SeriesLabels", "Largest attention logit"), nullptr},
    SeriesText{"update_ratio", QT_TRANSLATE_NOOP("SeriesLabels", "Largest update-to-weight ratio"), nullptr},
    SeriesText{"loss_scale", QT_TRANSLATE_NOOP("SeriesLabels", "Loss scale"), nullptr},
    SeriesText{"mlm_probability", QT_TRANSLATE_NOOP("SeriesLabels", "Share of masked tokens"), nullptr},
    SeriesText{"eval.perplexity", QT_TRANSLATE_NOOP("SeriesLabels", "Evaluation perplexity"), nullptr},
    SeriesText{"eval.accuracy", QT_TRANSLATE_NOOP("SeriesLabels", "Evaluation accuracy"), nullptr},
    SeriesText{"eval.seconds", QT_TRANSLATE_NOOP("SeriesLabels", "Seconds per evaluation"), nullptr},
    SeriesText{"eval.samples", QT_TRANSLATE_NOOP("SeriesLabels", "Samples per evaluation"), nullptr},
    SeriesText{"eval.tokens", QT_TRANSLATE_NOOP("SeriesLabels", "Tokens per evaluation"), nullptr},
    SeriesText{"ep", QT_TRANSLATE_NOOP("SeriesLabels", "Epoch"), nullptr}};

/// Label of a series such as "memory.cuda:0.peak"; none for other series.
std::optional<SeriesLabel> memoryLabel(const std::string& series) {
  const auto dot = series.rfind('.');
  if (!series.starts_with(kMemoryPrefix) || dot < kMemoryPrefix.size()) return {};
  const std::string what = series.substr(dot + 1);
  const std::map<std::string, QString> words = {{"allocated", SeriesLabels::tr("used")},
                                                {"reserved", SeriesLabels::tr("reserved")},
                                                {"peak", SeriesLabels::tr("peak")},
                                                {"total", SeriesLabels::tr("limit")},
                                                {"driver_used", SeriesLabels::tr("used by all programs")}};
  const auto found = words.find(what);
  const QString device = toQt(series.substr(kMemoryPrefix.size(), dot - kMemoryPrefix.size()));
  return SeriesLabel{SeriesLabels::tr("Memory of %1, %2", "%1: a device, %2: used, peak, …")
                         .arg(device, found == words.end() ? toQt(what) : found->second),
                     QStringLiteral("GiB")};
}

/// Label of a series of a named evaluation set such as "eval.own.loss"; none for other series.
std::optional<SeriesLabel> evalSetLabel(const std::string& series) {
  constexpr std::string_view kEval = "eval.";
  const auto dot = series.rfind('.');
  if (!series.starts_with(kEval) || dot <= kEval.size()) return {};
  const QString set = toQt(series.substr(kEval.size(), dot - kEval.size()));
  const std::string what = series.substr(dot + 1);
  if (what == "loss")
    return SeriesLabel{SeriesLabels::tr("Evaluation loss on %1").arg(set), SeriesLabels::tr(kLossUnit)};
  if (what == "perplexity") return SeriesLabel{SeriesLabels::tr("Evaluation perplexity on %1").arg(set), {}};
  if (what == "accuracy") return SeriesLabel{SeriesLabels::tr("Evaluation accuracy on %1").arg(set), {}};
  return {};
}

}  // namespace

QString fieldLabel(const std::string& path) {
  const Field* field = findField(path);
  return field == nullptr ? spelledOut(path.substr(path.rfind('.') + 1)) : toQt(field->label);
}

QString formText(const std::string& message) {
  static const QRegularExpression key(QStringLiteral("\\b[a-z0-9_]++(?:\\.[a-z0-9_]++)*+(?!\\[)(=)?"));
  const QString text = toQt(message);
  QString labeled;
  qsizetype end = 0;
  for (auto keys = key.globalMatch(text); keys.hasNext();) {
    const auto found = keys.next();
    const bool isAssignment = !found.captured(1).isEmpty();
    const QString path = found.captured().chopped(isAssignment ? 1 : 0);
    const bool isKey = path.contains(QLatin1Char('.')) || path.contains(QLatin1Char('_')) || isAssignment;
    if (!isKey || findField(path.toStdString()) == nullptr) continue;
    labeled += text.mid(end, found.capturedStart() - end) +
               FieldLabels::tr("“%1”", "the label of a setting").arg(fieldLabel(path.toStdString())) +
               (isAssignment ? QStringLiteral(" = ") : QString());
    end = found.capturedEnd();
  }
  return labeled + text.mid(end);
}

QString keyLabel(const Field& list, const std::string& key) {
  if (key == "at") return FieldLabels::tr("Starts at");
  if (key == "duration") return FieldLabels::tr("Length");
  if (list.path == "batch.rampup.stages" && key == "global_train_batch_size") return FieldLabels::tr("Step size");
  const Field* field = findField(list.group + "." + key);
  return field == nullptr ? spelledOut(key) : labelInGroup(*field);
}

std::string subgroupOf(const Field& field) {
  const auto& schema = configSchema();
  const std::string parent = field.path.substr(0, std::min(field.path.rfind('.'), field.path.size()));
  if (parent == field.path || parent == field.group) return {};
  const auto beside = [&parent](const Field& other) { return other.path.starts_with(parent + "."); };
  return std::count_if(schema.begin(), schema.end(), beside) > 1 ? parent : std::string();
}

QString labelInGroup(const Field& field) {
  const QString label = fieldLabel(field.path);
  const std::string subgroup = subgroupOf(field);
  const QString prefix = toQt(groupTitle(subgroup.empty() ? field.group : subgroup)) + QStringLiteral(": ");
  if (!label.startsWith(prefix)) return label;
  return label.mid(prefix.size(), 1).toUpper() + label.mid(prefix.size() + 1);
}

QString fieldHelp(const Field& field) {
  return toQt(field.help);
}

QString fieldUnit(const Field& field) {
  return toQt(field.unit);
}

QString choiceLabel(const Field& field, const std::string& choice) {
  const auto found = std::ranges::find(field.choices, choice);
  return toQt(found == field.choices.end()
                  ? choice
                  : field.choiceLabels[static_cast<std::size_t>(found - field.choices.begin())]);
}

SeriesLabel seriesLabel(const std::string& series) {
  if (const auto memory = memoryLabel(series)) return *memory;
  if (const auto set = evalSetLabel(series)) return *set;
  const auto found = std::find_if(kSeriesTexts.begin(), kSeriesTexts.end(),
                                  [&series](const SeriesText& text) { return series == text.series; });
  if (found == kSeriesTexts.end()) return {toQt(series), {}};
  return {SeriesLabels::tr(found->title), found->unit == nullptr ? QString() : SeriesLabels::tr(found->unit)};
}

SeriesNames windowSeriesNames() {
  return {[](const std::string& series) { return seriesLabel(series).title.toStdString(); },
          [](const std::string& series) { return seriesLabel(series).unit.toStdString(); }};
}

}  // namespace batchwise
