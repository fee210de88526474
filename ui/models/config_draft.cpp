// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/config_draft.h"

#include "core/config/schema.h"
#include "core/config/value_text.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

std::string valueOf(const Field& field, const TrainConfig& config) {
  return field.get(config);
}

bool isList(const Field& field) {
  return field.kind == FieldKind::TextList || field.kind == FieldKind::NumberList || field.kind == FieldKind::TimeList;
}

/// A double-quoted YAML scalar without its quotes; other text as it is. Undoes config::quotedText().
QString unquoted(const QString& yaml) {
  if (yaml.size() < 2 || !yaml.startsWith(QLatin1Char('"')) || !yaml.endsWith(QLatin1Char('"'))) return yaml;
  QString out;
  for (qsizetype i = 1; i + 1 < yaml.size(); ++i) {
    if (yaml[i] != QLatin1Char('\\')) {
      out += yaml[i];
    } else if (yaml[++i] == QLatin1Char('x')) {
      out += QChar(yaml.mid(i + 1, 2).toInt(nullptr, 16));
      i += 2;
    } else {
      out += yaml[i];
    }
  }
  return out;
}

/// A field's YAML text as the form shows it: text without quotes, lists without brackets.
QString shown(const Field& field, const std::string& yaml) {
  const QString text = toQt(yaml);
  if (field.kind == FieldKind::Text) return unquoted(text);
  if (isList(field) && text.startsWith(QLatin1Char('[')) && text.endsWith(QLatin1Char(']')))
    return text.mid(1, text.size() - 2);
  return text;
}

/// What the form shows as YAML again.
std::string yamlOf(const Field& field, const QString& shownText) {
  const QString text = shownText.trimmed();
  if (field.kind == FieldKind::Text) return config::quotedText(shownText.toStdString());
  if (isList(field) && !text.startsWith(QLatin1Char('['))) return "[" + text.toStdString() + "]";
  return text.toStdString();
}

const TrainConfig& defaults() {
  static const TrainConfig config;
  return config;
}

QString find(const std::map<std::string, std::string>& texts, const std::string& path) {
  const auto found = texts.find(path);
  return found == texts.end() ? QString() : toQt(found->second);
}

}  // namespace

ConfigDraft::ConfigDraft(QObject* parent) : QObject(parent) {
  yaml_ = configToYaml(config_, YamlScope::ChangedOnly);
  checkAll();
}

void ConfigDraft::load(const LoadedConfig& loaded, ValueSource source) {
  base_ = config_ = loaded.config;
  baseSource_ = source;
  baseFolder_ = loaded.baseFolder;
  yaml_ = loaded.yaml;
  typed_.clear();
  yamlIssues_ = loaded.errors;
  modified_ = false;
  checkAll();
  Q_EMIT reloaded();
  Q_EMIT changed();
}

QString ConfigDraft::text(const std::string& path) const {
  if (const auto typed = typed_.find(path); typed != typed_.end()) return typed->second;
  const Field* field = findField(path);
  return field == nullptr ? QString() : shown(*field, valueOf(*field, config_));
}

QString ConfigDraft::error(const std::string& path) const {
  return find(problems_, path);
}

QString ConfigDraft::note(const std::string& path) const {
  return find(notes_, path);
}

ValueSource ConfigDraft::source(const std::string& path) const {
  const Field* field = findField(path);
  if (field == nullptr) return ValueSource::Default;
  const std::string value = valueOf(*field, config_);
  if (typed_.contains(path)) return ValueSource::Typed;
  if (value == valueOf(*field, defaults())) return ValueSource::Default;
  return value == valueOf(*field, base_) ? baseSource_ : ValueSource::Typed;
}

QString ConfigDraft::resetText(const std::string& path) const {
  const Field* field = findField(path);
  if (field == nullptr) return {};
  return shown(*field, valueOf(*field, source(path) == ValueSource::Typed ? base_ : defaults()));
}

bool ConfigDraft::canReset(const std::string& path) const {
  return source(path) != ValueSource::Default;
}

void ConfigDraft::setText(const std::string& path, const QString& text) {
  const Field* field = findField(path);
  if (field == nullptr || this->text(path) == text) return;
  const std::string problem = field->set(config_, yamlOf(*field, text));
  if (problem.empty()) {
    typed_.erase(path);
    problems_.erase(path);
  } else {
    typed_[path] = text;
    problems_[path] = problem;
  }
  finishEdit();
}

void ConfigDraft::reset(const std::string& path) {
  const QString value = resetText(path);
  typed_.erase(path);
  const Field* field = findField(path);
  if (field == nullptr) return;
  field->set(config_, yamlOf(*field, value));
  finishEdit();
}

void ConfigDraft::finishEdit() {
  yaml_ = configToYaml(config_, YamlScope::ChangedOnly);
  yamlIssues_.clear();
  modified_ = true;
  checkAll();
  Q_EMIT changed();
}

void ConfigDraft::setYaml(const QString& text) {
  const std::string yaml = text.toStdString();
  if (yaml == yaml_) return;
  const LoadedConfig loaded = parseConfig(yaml, tr("Text").toStdString(), baseFolder_);
  yaml_ = yaml;
  yamlIssues_ = loaded.errors;
  modified_ = true;
  if (loaded.ok()) {
    config_ = loaded.config;
    typed_.clear();
  }
  checkAll();
  if (loaded.ok()) Q_EMIT reloaded();
  Q_EMIT changed();
}

void ConfigDraft::checkAll() {
  issues_ = yamlIssues_;
  std::map<std::string, std::string> problems;
  for (const auto& [path, text] : typed_) {
    problems[path] = problems_[path];
    issues_.push_back({path, "form", 0, problems_[path]});
  }
  notes_.clear();
  if (yamlIssues_.empty()) {
    for (const FieldProblem& problem : checkRules(config_)) {
      problems.try_emplace(problem.field, problem.message);
      issues_.push_back({problem.field, "form", 0, problem.message});
    }
    for (const FieldProblem& slip : checkSlips(config_)) notes_.try_emplace(slip.field, slip.message);
  }
  for (const ConfigIssue& issue : yamlIssues_) problems.try_emplace(issue.field, issue.message);
  problems_ = std::move(problems);
}

LoadedConfig ConfigDraft::loaded() const {
  LoadedConfig out;
  out.config = config_;
  out.yaml = yaml_;
  out.baseFolder = baseFolder_;
  return out;
}

}  // namespace batchwise
