// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/draft_json.h"

#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>

#include "core/config/schema.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

const QString kSchema = QStringLiteral("batchwise.draft/1");

QJsonArray toJson(const std::vector<SweepAxis>& axes) {
  QJsonArray out;
  for (const SweepAxis& axis : axes) {
    QJsonArray values;
    for (const std::string& value : axis.values) values.append(toQt(value));
    out.append(QJsonObject{{QStringLiteral("field"), toQt(axis.field)}, {QStringLiteral("values"), values}});
  }
  return out;
}

std::vector<SweepAxis> axesFrom(const QJsonArray& array) {
  std::vector<SweepAxis> axes;
  for (const QJsonValue& each : array) {
    SweepAxis axis{each[QStringLiteral("field")].toString().toStdString(), {}};
    for (const QJsonValue& value : each[QStringLiteral("values")].toArray())
      axis.values.push_back(value.toString().toStdString());
    if (findField(axis.field) != nullptr && !axis.values.empty()) axes.push_back(std::move(axis));
  }
  return axes;
}

QString yamlOf(const TrainConfig& config) {
  return toQt(configToYaml(config, YamlScope::ChangedOnly));
}

TrainConfig configIn(const QJsonObject& object, const QString& key) {
  return parseConfig(object[key].toString().toStdString(), "draft", {}).config;
}

}  // namespace

std::string draftToJson(const DraftState& state) {
  QJsonObject typed, problems;
  for (const auto& [field, text] : state.typed) typed[toQt(field)] = text;
  for (const auto& [field, problem] : state.problems) problems[toQt(field)] = toQt(problem);
  const QJsonObject object{{QStringLiteral("schema"), kSchema},
                           {QStringLiteral("parent"), state.parent},
                           {QStringLiteral("source"), static_cast<int>(state.baseSource)},
                           {QStringLiteral("base_folder"), toQt(state.baseFolder.string())},
                           {QStringLiteral("base"), yamlOf(state.base)},
                           {QStringLiteral("config"), yamlOf(state.config)},
                           {QStringLiteral("yaml"), toQt(state.yaml)},
                           {QStringLiteral("typed"), typed},
                           {QStringLiteral("problems"), problems},
                           {QStringLiteral("axes"), toJson(state.axes)},
                           {QStringLiteral("modified"), state.modified}};
  return QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString();
}

Result<DraftState> draftFromJson(const std::string& text) {
  const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
  if (object[QStringLiteral("schema")].toString() != kSchema)
    return Error::corrupt("this is no draft of a configuration");
  DraftState state;
  state.parent = object[QStringLiteral("parent")].toString();
  state.baseSource = static_cast<ValueSource>(
      std::clamp(object[QStringLiteral("source")].toInt(), 0, static_cast<int>(ValueSource::Typed)));
  state.baseFolder = object[QStringLiteral("base_folder")].toString().toStdString();
  state.base = configIn(object, QStringLiteral("base"));
  state.config = configIn(object, QStringLiteral("config"));
  state.yaml = object[QStringLiteral("yaml")].toString().toStdString();
  state.yamlIssues = parseSweep(state.yaml, "draft", state.baseFolder).first.errors;
  const QJsonObject typed = object[QStringLiteral("typed")].toObject();
  const QJsonObject problems = object[QStringLiteral("problems")].toObject();
  for (auto each = typed.begin(); each != typed.end(); ++each) state.typed[each.key().toStdString()] = each->toString();
  for (auto each = problems.begin(); each != problems.end(); ++each)
    state.problems[each.key().toStdString()] = each->toString().toStdString();
  state.axes = axesFrom(object[QStringLiteral("axes")].toArray());
  state.modified = object[QStringLiteral("modified")].toBool();
  return state;
}

}  // namespace batchwise
