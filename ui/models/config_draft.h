// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <map>
#include <string>
#include <vector>

#include "core/config/config_file.h"

namespace batchwise {

/// Where the value of a field came from.
enum class ValueSource { Default, Preset, File, Typed };

/// A configuration that a person edits, field by field or as YAML. Values that cannot be read stay as typed beside the
/// last good value, with what is wrong. Form and YAML text show the same draft. GUI thread.
class ConfigDraft final : public QObject {
  Q_OBJECT

 public:
  explicit ConfigDraft(QObject* parent = nullptr);

  /// Starts over. `source` tells what the values that differ from the defaults come from.
  void load(const LoadedConfig& loaded, ValueSource source);

  const TrainConfig& config() const { return config_; }
  /// As typed, or the value as the file would have it, without the quotes of text and the brackets of lists.
  QString text(const std::string& path) const;
  /// What is wrong with the field alone or together with others. Empty if nothing is.
  QString error(const std::string& path) const;
  /// Something noteworthy about the field that does not keep the run from starting.
  QString note(const std::string& path) const;
  ValueSource source(const std::string& path) const;
  /// What reset() would put into the field: the preset's or file's value for one that was typed, else the default.
  QString resetText(const std::string& path) const;
  bool canReset(const std::string& path) const;

  /// Takes the text as the field's value if it can be read.
  void setText(const std::string& path, const QString& text);
  void reset(const std::string& path);

  QString yaml() const { return QString::fromStdString(yaml_); }
  /// Takes the whole text if it can be read; else its errors are among the issues and the fields keep their values.
  void setYaml(const QString& text);
  /// True if the YAML text has errors of its own, so that it and the fields differ.
  bool yamlBroken() const { return !yamlIssues_.empty(); }

  /// Everything that keeps the run from starting.
  const std::vector<ConfigIssue>& issues() const { return issues_; }
  bool ready() const { return issues_.empty(); }
  /// Changed since load().
  bool modified() const { return modified_; }

  /// The draft as a launch takes it. Requires ready().
  LoadedConfig loaded() const;
  const std::filesystem::path& baseFolder() const { return baseFolder_; }

 Q_SIGNALS:
  void changed();
  /// Other values than those in the editors may have changed: read all again.
  void reloaded();

 private:
  void finishEdit();
  void checkAll();

  TrainConfig base_, config_;
  ValueSource baseSource_ = ValueSource::Default;
  std::filesystem::path baseFolder_;
  std::string yaml_;
  std::map<std::string, QString> typed_;         // texts that could not be read
  std::map<std::string, std::string> problems_;  // of the same fields, and of rules
  std::map<std::string, std::string> notes_;
  std::vector<ConfigIssue> yamlIssues_, issues_;
  bool modified_ = false;
};

}  // namespace batchwise
