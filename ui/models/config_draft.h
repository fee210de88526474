// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <map>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/sweep.h"

namespace batchwise {

/// Where the value of a field came from.
enum class ValueSource { Default, Preset, File, Typed };

/// Everything that a person may change in a draft, to go back to it or to keep it beyond the program.
struct DraftState {
  TrainConfig base, config;
  ValueSource baseSource = ValueSource::Default;
  QString parent;  ///< name of the run, file or preset that `base` is; empty: the defaults
  std::filesystem::path baseFolder;
  std::string yaml;
  std::map<std::string, QString> typed;         ///< texts that could not be read, by field
  std::map<std::string, std::string> problems;  ///< of the same fields
  std::vector<ConfigIssue> yamlIssues;
  std::vector<SweepAxis> axes;  ///< fields with several values; `config` has the first of each
  bool modified = false;
};

/// Stands for the YAML text in place of a field's path.
inline const std::string kYamlText = "yaml";

/// A configuration that a person edits, field by field or as YAML. Values that cannot be read stay as typed beside the
/// last good value, with what is wrong. Form and YAML text show the same draft. A field may have several values, and
/// the draft then stands for a run for each combination. GUI thread.
class ConfigDraft final : public QObject {
  Q_OBJECT

 public:
  explicit ConfigDraft(QObject* parent = nullptr);

  /// Starts over. `source` tells what the values that differ from the defaults come from.
  void load(const SweepConfig& loaded, ValueSource source, const QString& parent);
  void load(const LoadedConfig& loaded, ValueSource source, const QString& parent = {}) {
    load(SweepConfig{loaded, {}}, source, parent);
  }

  const DraftState& state() const { return state_; }
  /// Goes back to (or on to) a state of this or another draft.
  void restore(DraftState state);

  const TrainConfig& config() const { return state_.config; }
  /// What the draft began from: name of a run, file or preset.
  const QString& parent() const { return state_.parent; }
  /// Fields in which the draft differs from what it began from, and those with several values; names, notes and seeds
  /// count too.
  std::vector<std::string> changedFields() const;
  /// True for one of them.
  bool isChanged(const std::string& path) const;
  const std::vector<SweepAxis>& axes() const { return state_.axes; }
  /// How many runs a launch makes.
  std::int64_t runs() const { return sweepSize(state_.axes); }
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

  QString yaml() const { return QString::fromStdString(state_.yaml); }
  struct FileText {
    QString text;
    bool losesComments = false;  ///< it had to be written anew
  };
  /// The text as a file in `folder` has to hold it: relative names of files that start elsewhere are made absolute.
  FileText yamlFor(const std::filesystem::path& folder) const;
  /// Takes the whole text if it can be read; else its errors are among the issues and the fields keep their values.
  void setYaml(const QString& text);
  /// True if the YAML text has errors of its own, so that it and the fields differ.
  bool yamlBroken() const { return !state_.yamlIssues.empty(); }

  /// Everything that keeps the run from starting.
  const std::vector<ConfigIssue>& issues() const { return issues_; }
  bool ready() const { return issues_.empty(); }
  /// Changed since load().
  bool modified() const { return state_.modified; }

  /// The draft as a launch takes it: one configuration, or one for each combination of values. Requires ready().
  std::vector<LoadedConfig> loadedRuns() const;
  const std::filesystem::path& baseFolder() const { return state_.baseFolder; }

 Q_SIGNALS:
  void changed();
  /// Other values than those in the editors may have changed: read all again.
  void reloaded();
  /// A person's change, after it was made: the state before, and the field; kYamlText for the text as a whole, empty
  /// for another configuration. Not told by restore().
  void edited(const batchwise::DraftState& before, const std::string& path);

 private:
  void finishEdit(const DraftState& before, const std::string& path);
  void writeYaml();
  void checkAll();
  void checkSweep();
  const SweepAxis* axisOf(const std::string& path) const;
  LoadedConfig first() const;

  DraftState state_;
  std::map<std::string, std::string> problems_;  // of single fields and of rules
  std::map<std::string, std::string> notes_;
  std::vector<ConfigIssue> issues_;
};

}  // namespace batchwise
