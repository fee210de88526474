// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtGui/QUndoStack>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/config/run_stages.h"
#include "core/config/sweep.h"

namespace batchwise {

/// Origin of a field's value.
enum class ValueSource { Default, Preset, File, Typed };

/// Complete state of a draft, for undo and for storage.
struct DraftState {
  TrainConfig base, config;
  ValueSource baseSource = ValueSource::Default;
  QString parent;  ///< name of the run, file or preset that `base` is from; empty: defaults
  std::filesystem::path baseFolder;
  std::string yaml;
  std::string derivedName;  ///< the name of the run as long as it follows from its values; empty: it does not
  std::map<std::string, QString> typed;         ///< invalid input, by field path
  std::map<std::string, std::string> problems;  ///< error messages of the fields in `typed`
  std::vector<ConfigIssue> yamlIssues;
  bool unreadText = false;      ///< the YAML text has errors and says what no field holds
  std::vector<SweepAxis> axes;  ///< fields with several values; `config` has the first value of each
  bool modified = false;
};

/// An error or a warning of a draft; the line is that of the YAML text, 0 if the field is not in it.
struct DraftMark {
  ConfigIssue issue;
  bool isError = false;
};

/// Passed in place of a field path for an edit of the whole YAML text.
inline const std::string kYamlText = "yaml";
/// Same for an edit of all lists of values.
inline const std::string kSweepEdit = "sweep";
/// Same for values drawn in a chart.
inline const std::string kDrawnEdit = "drawn";

/// A configuration under edit, by field or as YAML; both views show the same state. Invalid input is kept as typed,
/// next to the last valid value, with its error. A field may have several values: the draft is then a sweep with one
/// run per combination. GUI thread.
class ConfigDraft final : public QObject {
  Q_OBJECT

 public:
  explicit ConfigDraft(QObject* parent = nullptr);

  /// Replaces the draft. `source`: origin of values that differ from the defaults.
  void load(const SweepConfig& loaded, ValueSource source, const QString& parent);
  void load(const LoadedConfig& loaded, ValueSource source, const QString& parent = {}) {
    load(SweepConfig{loaded, {}}, source, parent);
  }

  /// Lets the name follow from the values that differ from the parent's, until the user gives another one.
  void deriveName();

  const DraftState& state() const { return state_; }
  /// Replaces the state (undo, redo, stored draft). Does not emit edited().
  void restore(DraftState state);

  const TrainConfig& config() const { return state_.config; }
  /// Name of the run, file or preset that the draft was loaded from.
  const QString& parent() const { return state_.parent; }
  /// Paths of fields that differ from the loaded configuration or have several values, including notes, seeds, and a
  /// name that does not follow from the values.
  std::vector<std::string> changedFields() const;
  bool isChanged(const std::string& path) const;
  const std::vector<SweepAxis>& axes() const { return state_.axes; }
  /// Number of values of the field; more than one makes several runs.
  std::size_t valueCount(const std::string& path) const;
  /// Number of runs of the sweep; 1 without one.
  std::int64_t runs() const { return sweepSize(state_.axes, state_.config.zip); }
  /// The input as typed if it is invalid, else the value as YAML without quotes or list brackets.
  QString text(const std::string& path) const;
  /// Error of the field, by itself or in combination with others; empty if none.
  QString error(const std::string& path) const;
  /// Errors in a field whose value is a list of sections.
  std::vector<SectionProblem> sectionProblems(const std::string& path) const;
  /// A warning about the field that does not prevent the launch; empty if none.
  QString warning(const std::string& path) const;
  ValueSource source(const std::string& path) const;
  /// The text that reset() would set: the loaded value for a typed one, else the default.
  QString resetText(const std::string& path) const;
  bool canReset(const std::string& path) const { return source(path) != ValueSource::Default; }

  /// Makes another draft the one that undo goes back to.
  void offerUndoTo(const DraftState& other) { Q_EMIT edited(other, {}); }

  /// Sets the field if `text` is valid; otherwise keeps `text` and its error.
  void setText(const std::string& path, const QString& text);
  void reset(const std::string& path);
  /// Takes the values of `config` for all fields of a group and for others that differ, in one edit. Fields that had
  /// several values or an invalid one lose them.
  void setGroup(const std::string& group, const TrainConfig& config);
  /// Replaces all lists of values in one edit; `zip`: fields whose lists advance together. The fields of former lists
  /// keep their first value. Requires valid values, at least two for each axis.
  void setSweep(std::vector<SweepAxis> axes, const std::vector<std::string>& zip);
  /// Takes all values but the name from a configuration that was drawn, in one edit.
  void takeDrawn(TrainConfig drawn);

  enum class DragEnd { Keep, Restore };
  /// Makes one edit of all that follows, until endDrag(): edited() is emitted there, or the draft is as it was.
  void beginDrag() { beforeDrag_ = state_; }
  void endDrag(DragEnd end);
  bool isDragged() const { return beforeDrag_.has_value(); }

  QString yaml() const { return QString::fromStdString(state_.yaml); }
  struct FileText {
    QString text;
    bool losesComments = false;  ///< it had to be regenerated from the values
  };
  /// The YAML text for a file in `folder`: relative paths that start elsewhere become absolute.
  FileText yamlFor(const std::filesystem::path& folder) const;
  /// Replaces the draft by `text` if it is valid; otherwise keeps the fields and adds the errors to issues().
  void setYaml(const QString& text);
  /// True if the YAML text has errors, so that it differs from the fields.
  bool yamlBroken() const { return !state_.yamlIssues.empty(); }
  /// True if the YAML text has errors and the fields do not hold all of it: an edit of a field would replace the text.
  bool hasUnreadText() const { return state_.unreadText; }

  /// All errors that prevent a launch.
  const std::vector<ConfigIssue>& issues() const { return issues_; }
  /// The errors, and the warnings, with their lines in the YAML text.
  std::vector<DraftMark> marks() const;
  bool ready() const { return issues_.empty(); }
  /// True after an edit since load().
  bool modified() const { return state_.modified; }

  /// The configurations to launch, one per combination of values. Requires ready().
  std::vector<LoadedConfig> loadedRuns() const;
  const std::filesystem::path& baseFolder() const { return state_.baseFolder; }

 Q_SIGNALS:
  void changed();
  /// An edit has been applied. `before`: previous state. `path`: edited field, kYamlText for the whole text, empty for
  /// load(). Not emitted by restore().
  void edited(const batchwise::DraftState& before, const std::string& path);

 private:
  void forget(const std::string& path);
  void finishEdit(const DraftState& before, const std::string& path);
  void updateDerivedName();
  void writeYaml();
  void checkAll();
  void checkSweep();
  void keepUnreadable();
  const SweepAxis* axisOf(const std::string& path) const;
  LoadedConfig first() const;

  DraftState state_;
  std::optional<DraftState> beforeDrag_;
  std::map<std::string, std::string> problems_;  // of single fields and of rules between fields
  std::map<std::string, std::string> notes_;
  std::vector<ConfigIssue> issues_;
  std::vector<LoadedConfig> sweepRuns_;  // of a valid sweep
};

/// Serializes a draft to JSON, including invalid input and the configuration it was loaded from.
std::string draftToJson(const DraftState& state);

/// Inverse of draftToJson(). Fails with Corrupt if `text` is not a draft of a known version.
Result<DraftState> draftFromJson(const std::string& text);

/// Undo stack of the draft: changes of the form and of the YAML text, resets, and loaded configurations. Typing into
/// one field without a pause is one command.
class DraftHistory final : public QObject {
  Q_OBJECT

 public:
  explicit DraftHistory(ConfigDraft& draft, QObject* parent = nullptr);

  QUndoStack& stack() { return stack_; }

 private:
  void remember(const DraftState& before, const std::string& path);

  ConfigDraft& draft_;
  QUndoStack stack_;
};

}  // namespace batchwise
