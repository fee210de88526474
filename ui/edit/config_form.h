// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>
#include <QtWidgets/QWidget>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/schema.h"
#include "ui/edit/config_draft.h"
#include "ui/theme/theme.h"

class QAction;
class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace batchwise {

class SectionTable;

/// Returns true for the ShortcutOverride event of an undo or redo key, before a text widget consumes it.
bool isUndoKey(const QEvent& event);

/// Editor of one field by its kind: check box, combo box, table of sections, or line edit, with Browse for paths. Uses
/// the text format of ConfigDraft.
class FieldEditor final : public QWidget {
  Q_OBJECT

 public:
  FieldEditor(const Field& field, const Theme& theme, QWidget* parent = nullptr);

  QString text() const;
  /// Shows the text without emitting edited().
  void setText(const QString& text);
  /// Returns the widget that takes the keyboard focus.
  QWidget* control() const;
  /// Returns the table of a list of sections; null for other fields.
  SectionTable* table() const { return table_; }
  /// Sets the folder where Browse starts.
  void setBaseFolder(const QString& folder) { baseFolder_ = folder; }
  /// Tells inside the field's own space that it has several values: "2 runs". Empty: it has one.
  void setRuns(const QString& runs);

 Q_SIGNALS:
  void edited(const QString& text);
  void focused(bool has);
  /// The user wants to edit the several values.
  void runsClicked();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeControl(const Field& field, const Theme& theme);
  void makeList(const Field& field);
  void makeLine(const Field& field);
  void browse(bool files);
  void showChoice(const QString& text);
  void showSwitch();

  QCheckBox* box_ = nullptr;
  QComboBox* list_ = nullptr;
  QLineEdit* line_ = nullptr;
  SectionTable* table_ = nullptr;
  QToolButton* runs_ = nullptr;
  QString baseFolder_;
};

/// Edits the draft as a form made from the schema: label with unit, editor and reset button of each field, its errors
/// and warnings below it; where it is narrow, the label stands above the editor. Fields that share a part of their path
/// have a heading of their own. Advanced fields are folded; parameters that the chosen schedule does not have are
/// hidden, and settings that the family of the model does not have, unless they are set or searched for. All are
/// disabled while the YAML text cannot be read.
class ConfigForm final : public QScrollArea {
  Q_OBJECT

 public:
  ConfigForm(ConfigDraft& draft, const Theme& theme, QWidget* parent = nullptr);

  /// Shows only fields, also folded ones, whose label, path, choices, help or searchWords() contain each word of
  /// `text`. Empty: all.
  void setFilter(const QString& text);
  /// Sets the family of the model; none: not known.
  void setFamily(std::optional<ModelFamily> family);
  /// Shows these warnings of the plan below the fields that they name.
  void setPlanWarnings(const std::vector<FieldProblem>& warnings);
  /// Scrolls to a field, which is marked for a moment and gets the keyboard focus, or to the first field of a group.
  void showField(const std::string& path);
  void showGroup(const std::string& group);
  static std::vector<std::string> groups();

  /// Returns null if there is no such field.
  FieldEditor* editor(const std::string& path) const;

 Q_SIGNALS:
  /// Help of the field that has the keyboard focus; empty: its field is no longer shown.
  void described(const QString& help);
  /// The user wants to see all fields again.
  void clearRequested();
  /// The user wants several values for the field with this path.
  void sweepRequested(const std::string& path);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Row {
    const Field* field = nullptr;
    std::string subgroup;  // empty: directly in the group
    QLabel* label = nullptr;
    QWidget* box = nullptr;  // the three below
    FieldEditor* editor = nullptr;
    QToolButton* reset = nullptr;
    QLabel* note = nullptr;  // its error or warning
    bool shown = false;
  };
  struct Heading {
    std::string subgroup;
    QLabel* label = nullptr;
  };
  struct Group {
    std::string name;
    QWidget* box = nullptr;
    QFormLayout* form = nullptr;
    QToolButton* more = nullptr;
    std::vector<Heading> headings;
    std::vector<std::size_t> rows;
    bool open = false;
  };

  void makeNothingFound();
  Group makeGroup(const std::string& name);
  void makeFold(std::size_t group);
  void makeHeading(Group& group, const std::string& subgroup);
  void makeRow(Group& group, const Field& field);
  void connectRow(std::size_t index);
  QWidget* makeRampMenu(QWidget* parent);
  void placeLabels();
  void readDraft();
  void readRow(Row& row);
  void showRow(Row& row);
  void showNote(Row& row);
  void showReset(Row& row);
  void showRows();
  int showGroupRows(Group& group);
  bool matches(const Row& row) const;
  bool isInFamily(const Row& row) const;
  bool isSet(const Row& row) const;
  QString runsText(const Row& row) const;
  QString problemText(const Row& row) const;
  QString warningText(const Row& row) const;
  QString helpText(const Row& row) const;
  void describe(const Row& row);
  void clearHiddenHelp();
  void resetFocused();
  void retheme();
  bool isNarrow() const;

  ConfigDraft& draft_;
  const Theme& theme_;
  QVBoxLayout* column_;
  QWidget* nothing_ = nullptr;
  QLabel* nothingText_ = nullptr;
  std::vector<Row> rows_;
  std::vector<Group> groups_;
  QAction* reset_;  // of the setting in use
  std::optional<ModelFamily> family_;
  QString filter_;
  std::map<std::string, QString> planWarnings_;  // by field
  std::string typing_;          // path of the field whose editor has changed: its text is not overwritten
  std::string describedField_;  // path of the field whose help is shown; empty: none
  int labelWidth_ = 0;          // in every group
  bool narrow_ = false;         // labels stand above the editors
};

}  // namespace batchwise
