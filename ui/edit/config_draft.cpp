// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/config_draft.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/config/default_values.h"
#include "core/config/path_fields.h"
#include "core/config/schema.h"
#include "core/config/value_text.h"
#include "core/store/records.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

bool isList(const Field& field) {
  return field.kind == FieldKind::TextList || field.kind == FieldKind::NumberList || field.kind == FieldKind::TimeList;
}

/// YAML to form text: strings without quotes, lists without brackets.
QString shown(const Field& field, const std::string& yaml) {
  if (field.kind == FieldKind::Text) return toQt(config::unquotedText(yaml));
  const QString text = toQt(yaml);
  if (isList(field) && text.startsWith(QLatin1Char('[')) && text.endsWith(QLatin1Char(']')))
    return text.mid(1, text.size() - 2);
  return text;
}

/// Form text to YAML.
std::string yamlOf(const Field& field, const QString& shownText) {
  const QString text = shownText.trimmed();
  if (field.kind == FieldKind::Text) return config::quotedText(shownText.toStdString());
  if (field.optional && text.toStdString() == field.unsetText) return field.unsetText;
  if (text.isEmpty() && field.kind == FieldKind::EvalSets) return "{}";
  if (text.isEmpty() && (field.kind == FieldKind::Tasks || field.kind == FieldKind::RunStages)) return "[]";
  if (isList(field) && !text.startsWith(QLatin1Char('['))) return "[" + text.toStdString() + "]";
  return text.toStdString();
}

const TrainConfig& defaults() {
  static const TrainConfig config;
  return config;
}

/// Returns whether the text may be a list of values, or a range of numbers ("1e-4..1e-2 x4 log").
bool listsValues(const Field& field, const QString& text) {
  const bool isNumber = field.kind == FieldKind::Integer || field.kind == FieldKind::Number;
  return text.contains(QLatin1Char(',')) || (isNumber && text.contains(QLatin1String("..")));
}

QString find(const std::map<std::string, std::string>& texts, const std::string& path) {
  const auto found = texts.find(path);
  return found == texts.end() ? QString() : formText(found->second);
}

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

ConfigDraft::ConfigDraft(QObject* parent) : QObject(parent) {
  writeYaml();
  checkAll();
}

void ConfigDraft::load(const SweepConfig& loaded, ValueSource source, const QString& parent) {
  const DraftState before = std::exchange(state_, {});
  state_.base = state_.config = loaded.first.config;
  state_.baseSource = source;
  state_.parent = parent;
  state_.baseFolder = loaded.first.baseFolder;
  state_.yaml = loaded.first.yaml;
  state_.yamlIssues = loaded.first.errors;
  state_.axes = loaded.axes;
  keepUnreadable();
  checkAll();
  Q_EMIT changed();
  Q_EMIT edited(before, {});
}

/// Values of the file that cannot be read are kept as if they had been typed. The text alone holds names that are
/// unknown, values given twice and the like.
void ConfigDraft::keepUnreadable() {
  const std::vector<FieldProblem> rules = checkRules(state_.config);
  const auto isRule = [&rules](const ConfigIssue& issue) {
    return std::ranges::any_of(rules, [&issue](const FieldProblem& broken) {
      return broken.field == issue.field && broken.message == issue.message;
    });
  };
  for (const ConfigIssue& issue : state_.yamlIssues) {
    const std::string path = issue.field.substr(0, issue.field.find('['));
    const Field* field = issue.value.empty() ? nullptr : findField(path);
    if (field == nullptr) {
      if (!state_.typed.contains(path) && !isRule(issue)) state_.unreadText = true;
      continue;
    }
    state_.typed[path] = shown(*field, issue.value);
    state_.problems.try_emplace(path, issue.message);
  }
}

void ConfigDraft::restore(DraftState state) {
  state_ = std::move(state);
  checkAll();
  Q_EMIT changed();
}

const SweepAxis* ConfigDraft::axisOf(const std::string& path) const {
  const auto found = std::find_if(state_.axes.begin(), state_.axes.end(),
                                  [&path](const SweepAxis& axis) { return axis.field == path; });
  return found == state_.axes.end() ? nullptr : &*found;
}

std::vector<std::string> ConfigDraft::changedFields() const {
  std::vector<std::string> fields;
  for (const Field& field : configSchema())
    if (isChanged(field.path)) fields.push_back(field.path);
  return fields;
}

bool ConfigDraft::isChanged(const std::string& path) const {
  if (axisOf(path) != nullptr || state_.typed.contains(path)) return true;
  if (path == "name" && !state_.derivedName.empty() && state_.derivedName == state_.config.name) return false;
  const Field* field = findField(path);
  return field != nullptr && field->get(state_.config) != field->get(state_.base);
}

QString ConfigDraft::text(const std::string& path) const {
  if (const auto typed = state_.typed.find(path); typed != state_.typed.end()) return typed->second;
  const Field* field = findField(path);
  if (field == nullptr) return {};
  if (const SweepAxis* axis = axisOf(path)) return toQt(axis->values).join(QStringLiteral(", "));
  return shown(*field, field->get(state_.config));
}

QString ConfigDraft::error(const std::string& path) const {
  if (QString text = find(problems_, path); !text.isEmpty()) return text;
  const auto item = problems_.lower_bound(path + "[");
  if (item == problems_.end() || !item->first.starts_with(path + "[")) return {};
  return formText(inContextText(item->first.substr(path.size()), item->second));
}

std::vector<SectionProblem> ConfigDraft::sectionProblems(const std::string& path) const {
  const Field* field = findField(path);
  if (field == nullptr || axisOf(path) != nullptr) return {};
  std::vector<SectionProblem> found = checkSectionList(*field, yamlOf(*field, text(path)));
  if (state_.typed.contains(path)) return found;  // rules are checked for the last valid value
  for (const auto& [place, message] : problems_) {
    if (!place.starts_with(path + "[")) continue;
    const auto at = sectionPlace(place.substr(path.size()));
    const auto same = [&at](const SectionProblem& each) { return each.index == at->first && each.key == at->second; };
    if (at && std::ranges::none_of(found, same)) found.push_back({at->first, at->second, message});
  }
  return found;
}

std::size_t ConfigDraft::valueCount(const std::string& path) const {
  const SweepAxis* axis = axisOf(path);
  return axis == nullptr ? 1 : axis->values.size();
}

std::vector<DraftMark> ConfigDraft::marks() const {
  const LoadedConfig read = parseSweep(state_.yaml, {}, state_.baseFolder).first;
  std::vector<DraftMark> marks;
  for (const ConfigIssue& issue : issues_) {
    marks.push_back({issue, true});
    if (issue.line == 0) marks.back().issue.line = read.issueAt(issue.field, {}).line;
  }
  for (const ConfigIssue& note : read.notes) marks.push_back({note, false});
  return marks;
}

QString ConfigDraft::warning(const std::string& path) const {
  return find(notes_, path);
}

ValueSource ConfigDraft::source(const std::string& path) const {
  const Field* field = findField(path);
  if (field == nullptr) return ValueSource::Default;
  const std::string value = field->get(state_.config);
  if (state_.typed.contains(path) || axisOf(path) != nullptr) return ValueSource::Typed;
  if (value == field->get(defaults())) return ValueSource::Default;
  return value == field->get(state_.base) ? state_.baseSource : ValueSource::Typed;
}

QString ConfigDraft::resetText(const std::string& path) const {
  const Field* field = findField(path);
  if (field == nullptr) return {};
  return shown(*field, field->get(source(path) == ValueSource::Typed ? state_.base : defaults()));
}

void ConfigDraft::setText(const std::string& path, const QString& text) {
  const Field* field = findField(path);
  if (field == nullptr || this->text(path) == text) return;
  const DraftState before = state_;
  forget(path);
  std::string problem = field->set(state_.config, yamlOf(*field, text));
  // A text field may contain commas: only a bracketed list means several values.
  const bool severalPossible = field->kind != FieldKind::Text || text.trimmed().startsWith(QLatin1Char('['));
  if ((!problem.empty() || field->kind == FieldKind::Text) && severalPossible && listsValues(*field, text)) {
    if (auto values = sweepValues(*field, text.toStdString()); values.ok()) {
      field->set(state_.config, values->front());
      state_.axes.push_back({path, std::move(*values)});
      problem = {};
    } else if (!problem.empty()) {
      problem = values.error().message;
    }
  }
  if (!problem.empty()) {
    state_.typed[path] = text;
    state_.problems[path] = problem;
  }
  finishEdit(before, path);
}

void ConfigDraft::reset(const std::string& path) {
  const Field* field = findField(path);
  if (field == nullptr) return;
  const DraftState before = state_;
  const QString value = resetText(path);
  forget(path);
  field->set(state_.config, yamlOf(*field, value));
  finishEdit(before, path);
}

void ConfigDraft::setGroup(const std::string& group, const TrainConfig& config) {
  const DraftState before = state_;
  for (const Field& field : configSchema())
    if (field.path.starts_with(group + ".") || field.get(config) != field.get(state_.config)) forget(field.path);
  state_.config = config;
  finishEdit(before, group);
}

/// Its several values, or its text that is no value.
void ConfigDraft::forget(const std::string& path) {
  std::erase_if(state_.axes, [&path](const SweepAxis& axis) { return axis.field == path; });
  state_.typed.erase(path);
  state_.problems.erase(path);
}

void ConfigDraft::setSweep(std::vector<SweepAxis> axes, const std::vector<std::string>& zip) {
  const DraftState before = state_;
  state_.axes = std::move(axes);
  state_.config.zip = zip;
  std::vector<std::string> replaced = {"zip"};
  for (const SweepAxis& axis : state_.axes) {
    findField(axis.field)->set(state_.config, axis.values.front());
    replaced.push_back(axis.field);
  }
  for (const std::string& field : replaced) {
    state_.typed.erase(field);
    state_.problems.erase(field);
  }
  finishEdit(before, kSweepEdit);
}

void ConfigDraft::takeDrawn(TrainConfig drawn) {
  drawn.name = state_.config.name;  // it may follow from the other values
  if (std::ranges::any_of(configSchema(),
                          [&](const Field& field) { return field.get(drawn) != field.get(state_.config); }))
    setGroup(kDrawnEdit, drawn);
}

void ConfigDraft::endDrag(DragEnd end) {
  if (!beforeDrag_) return;
  DraftState before = std::move(*beforeDrag_);
  beforeDrag_.reset();
  if (before.yaml == state_.yaml) return;
  if (end == DragEnd::Restore) return restore(std::move(before));
  Q_EMIT edited(before, kDrawnEdit);
}

void ConfigDraft::writeYaml() {
  state_.yaml = sweepToYaml(state_.config, state_.axes);
}

void ConfigDraft::deriveName() {
  state_.derivedName = state_.config.name;
}

/// Follows a change of the values within the same edit, so that both are undone together.
void ConfigDraft::updateDerivedName() {
  if (state_.derivedName.empty()) return;
  if (state_.derivedName != state_.config.name || !state_.axes.empty()) return state_.derivedName.clear();
  std::string name = nameFromValues(state_.parent.toStdString(), compareConfigs(state_.base, state_.config));
  if (name.empty() || !findField("name")->check(name).empty()) name = state_.base.name;
  state_.config.name = state_.derivedName = std::move(name);
}

void ConfigDraft::finishEdit(const DraftState& before, const std::string& path) {
  updateDerivedName();
  writeYaml();
  state_.yamlIssues.clear();
  state_.unreadText = false;
  state_.modified = true;
  checkAll();
  Q_EMIT changed();
  if (!beforeDrag_) Q_EMIT edited(before, path);
}

ConfigDraft::FileText ConfigDraft::yamlFor(const std::filesystem::path& folder) const {
  std::error_code failure;
  const bool sameFolder = std::filesystem::equivalent(state_.baseFolder, folder, failure);
  TrainConfig config = state_.config;
  std::vector<SweepAxis> axes = state_.axes;
  if (sameFolder || yamlBroken() || !makePathsAbsolute(config, axes, state_.baseFolder)) return {yaml()};
  if (const auto text = makePathsAbsoluteInText(state_.yaml, state_.baseFolder)) return {toQt(*text)};
  return {toQt(sweepToYaml(config, axes)), state_.yaml.find('#') != std::string::npos};
}

void ConfigDraft::setYaml(const QString& text) {
  const std::string yaml = text.toStdString();
  if (yaml == state_.yaml) return;
  const DraftState before = state_;
  const SweepConfig loaded = parseSweep(yaml, tr("Text").toStdString(), state_.baseFolder);
  state_.yaml = yaml;
  state_.yamlIssues = loaded.first.errors;
  state_.unreadText = !loaded.first.ok();
  state_.modified = true;
  if (loaded.first.ok()) {
    state_.config = loaded.first.config;
    state_.axes = loaded.axes;
    state_.typed.clear();
    state_.problems.clear();
  }
  checkAll();
  Q_EMIT changed();
  Q_EMIT edited(before, kYamlText);
}

void ConfigDraft::checkAll() {
  issues_ = state_.yamlIssues;
  problems_ = state_.problems;
  sweepRuns_.clear();
  const auto inFile = [this](const std::string& path) {
    return std::ranges::any_of(state_.yamlIssues, [&](const ConfigIssue& issue) {
      return issue.field.substr(0, issue.field.find('[')) == path && !issue.value.empty();
    });
  };
  for (const auto& [path, problem] : state_.problems)
    if (!inFile(path)) issues_.push_back({path, "form", 0, problem});
  notes_.clear();
  if (state_.yamlIssues.empty()) {
    for (const auto& broken : {checkRules(state_.config), checkNewRun(state_.config)})
      for (const FieldProblem& problem : broken) {
        problems_.try_emplace(problem.field, problem.message);
        issues_.push_back({problem.field, "form", 0, problem.message});
      }
    for (const FieldProblem& slip : findLikelyMistakes(state_.config)) notes_.try_emplace(slip.field, slip.message);
    checkSweep();
  }
  for (const ConfigIssue& issue : state_.yamlIssues) problems_.try_emplace(issue.field, issue.message);
}

/// Reports the first run of the sweep that is invalid, at the field that breaks the rule.
void ConfigDraft::checkSweep() {
  if (state_.axes.empty() || !issues_.empty()) return;
  const std::string place = state_.config.zip.empty() ? state_.axes.front().field : "zip";
  auto runs = sweepRuns(first(), state_.axes);
  if (!runs.ok()) {
    problems_.try_emplace(place, runs.error().message);
    issues_.push_back({place, "form", 0, runs.error().message});
    return;
  }
  for (const LoadedConfig& run : *runs) {
    if (run.ok()) continue;
    const std::string message = inContextText(runContextText(run.config.name), run.errors.front().message);
    problems_.try_emplace(run.errors.front().field, message);
    issues_.push_back({run.errors.front().field, "form", 0, message});
    return;
  }
  sweepRuns_ = std::move(*runs);
}

LoadedConfig ConfigDraft::first() const {
  LoadedConfig out;
  out.config = state_.config;
  out.yaml = state_.yaml;
  out.baseFolder = state_.baseFolder;
  return out;
}

std::vector<LoadedConfig> ConfigDraft::loadedRuns() const {
  return state_.axes.empty() ? std::vector<LoadedConfig>{first()} : sweepRuns_;
}

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
                           {QStringLiteral("derived_name"), toQt(state.derivedName)},
                           {QStringLiteral("unread_text"), state.unreadText},
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
  state.derivedName = object[QStringLiteral("derived_name")].toString().toStdString();
  state.unreadText = object[QStringLiteral("unread_text")].toBool(!state.yamlIssues.empty());
  const QJsonObject typed = object[QStringLiteral("typed")].toObject();
  const QJsonObject problems = object[QStringLiteral("problems")].toObject();
  for (auto each = typed.begin(); each != typed.end(); ++each) state.typed[each.key().toStdString()] = each->toString();
  for (auto each = problems.begin(); each != problems.end(); ++each)
    state.problems[each.key().toStdString()] = each->toString().toStdString();
  state.axes = axesFrom(object[QStringLiteral("axes")].toArray());
  state.modified = object[QStringLiteral("modified")].toBool();
  return state;
}

namespace {

constexpr int kUndoLimit = 200;
constexpr qint64 kTypingPauseMs = 1500;
constexpr int kTyping = 1;  // id of commands that can be merged

/// Returns true if the value is edited as text.
bool isTyped(const std::string& path) {
  if (path == kYamlText) return true;
  const Field* field = findField(path);
  return field != nullptr && field->kind != FieldKind::Boolean && field->kind != FieldKind::Choice;
}

QString nameOf(const std::string& path) {
  if (path.empty()) return DraftHistory::tr("change to another configuration");
  if (path == kSweepEdit) return DraftHistory::tr("change of the sweep");
  if (path == kDrawnEdit) return DraftHistory::tr("change in the chart");
  if (path == kYamlText) return DraftHistory::tr("change of the YAML text");
  const std::string title = groupTitle(path);  // an edit of a whole group
  return DraftHistory::tr("change of “%1”").arg(title.empty() ? fieldLabel(path) : toQt(title));
}

class DraftCommand final : public QUndoCommand {
 public:
  DraftCommand(ConfigDraft& draft, DraftState before, std::string path)
      : draft_(draft), before_(std::move(before)), after_(draft.state()), path_(std::move(path)) {
    setText(nameOf(path_));
    sinceTyped_.start();
  }

  void redo() override {
    if (std::exchange(done_, true)) draft_.restore(after_);  // the first call is by QUndoStack::push()
  }
  void undo() override { draft_.restore(before_); }
  int id() const override { return isTyped(path_) ? kTyping : -1; }
  bool mergeWith(const QUndoCommand* later) override {
    const auto* next = static_cast<const DraftCommand*>(later);
    if (next->path_ != path_ || sinceTyped_.elapsed() > kTypingPauseMs) return false;
    after_ = next->after_;
    sinceTyped_.restart();
    return true;
  }

 private:
  ConfigDraft& draft_;
  DraftState before_, after_;
  std::string path_;
  QElapsedTimer sinceTyped_;
  bool done_ = false;
};

}  // namespace

DraftHistory::DraftHistory(ConfigDraft& draft, QObject* parent) : QObject(parent), draft_(draft) {
  stack_.setUndoLimit(kUndoLimit);
  connect(&draft_, &ConfigDraft::edited, this, &DraftHistory::remember);
}

void DraftHistory::remember(const DraftState& before, const std::string& path) {
  const bool nothingBefore = before.baseSource == ValueSource::Default && !before.modified;
  if (!nothingBefore) stack_.push(new DraftCommand(draft_, before, path));
}

}  // namespace batchwise
