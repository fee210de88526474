// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/field_labels.h"

#include <QtCore/QObject>
#include <QtCore/QRegularExpression>
#include <algorithm>

#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

/// "keep_last" -> "Keep last".
QString spelledOut(const std::string& name) {
  QString words = toQt(name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words;
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
               QObject::tr("“%1”", "the label of a setting").arg(fieldLabel(path.toStdString())) +
               (isAssignment ? QStringLiteral(" = ") : QString());
    end = found.capturedEnd();
  }
  return labeled + text.mid(end);
}

QString keyLabel(const Field& list, const std::string& key) {
  if (key == "at") return QObject::tr("Starts at");
  if (key == "duration") return QObject::tr("Length");
  if (list.path == "batch.rampup.stages" && key == "global_train_batch_size") return QObject::tr("Step size");
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
  const Metric* metric = findMetric(series);
  if (metric == nullptr) return {toQt(series), {}};
  const QString label = QObject::tr(metric->label), unit = QObject::tr(metric->unit);
  const auto last = series.rfind('.');
  const bool ofTask = series.starts_with(kTaskPrefix) && last >= kTaskPrefix.size();
  const auto first = ofTask ? kTaskPrefix.size() - 1 : series.find('.');
  const QString of = first == last ? QString() : toQt(series.substr(first + 1, last - first - 1));
  if (series.starts_with(kMemoryPrefix))
    return {QObject::tr("Memory of %1, %2", "%1: a device, %2: used, peak, …").arg(of, label), unit};
  return {of.isEmpty() ? label : QObject::tr("%1 on %2", "Evaluation loss on own text").arg(label, of), unit};
}

SeriesNames windowSeriesNames() {
  return {[](const std::string& series) { return seriesLabel(series).title.toStdString(); },
          [](const std::string& series) { return seriesLabel(series).unit.toStdString(); }};
}

}  // namespace batchwise
