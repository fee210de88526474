// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>
#include <QtWidgets/QWidget>
#include <map>
#include <string>
#include <vector>

#include "core/config/schema.h"
#include "ui/models/config_draft.h"
#include "ui/theme/theme.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace batchwise {

/// Returns true for the ShortcutOverride event of an undo or redo key, before a text widget consumes it.
bool isUndoKey(const QEvent& event);

/// Editor of one field by its kind: check box, combo box, or line edit, with Browse for paths. Uses the text format of
/// ConfigDraft.
class FieldEditor final : public QWidget {
  Q_OBJECT

 public:
  explicit FieldEditor(const Field& field, QWidget* parent = nullptr);

  QString text() const;
  /// Shows the text without emitting edited().
  void setText(const QString& text);
  /// Returns the widget that takes the keyboard focus.
  QWidget* control() const;
  /// Sets the folder where Browse starts.
  void setBaseFolder(const QString& folder) { baseFolder_ = folder; }

 Q_SIGNALS:
  void edited(const QString& text);
  void focused(bool has);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeLine(const Field& field);
  void browse(bool files);
  void showChoice(const QString& text);

  QCheckBox* box_ = nullptr;
  QComboBox* list_ = nullptr;
  QLineEdit* line_ = nullptr;
  QString baseFolder_;
};

/// Edits the draft as a form made from the schema: each field with label, editor, unit, reset button, and help or error
/// below. Advanced fields are folded; parameters that the chosen schedule does not have are hidden.
class ConfigForm final : public QScrollArea {
  Q_OBJECT

 public:
  ConfigForm(ConfigDraft& draft, const Theme& theme, QWidget* parent = nullptr);

  /// Shows only fields, also folded ones, whose label, name or help contains `text`. Empty: all.
  void setFilter(const QString& text);
  /// Scrolls to a field, which gets the keyboard focus, or to the first field of a group.
  void showField(const std::string& path);
  void showGroup(const std::string& group);
  std::vector<std::string> groups() const;

  /// Returns null if there is no such field.
  FieldEditor* editor(const std::string& path) const;

 Q_SIGNALS:
  /// `found`: number of fields shown.
  void filtered(int found);

 private:
  struct Row {
    const Field* field = nullptr;
    QLabel* label = nullptr;
    FieldEditor* editor = nullptr;
    QLabel* unit = nullptr;
    QToolButton* reset = nullptr;
    QLabel* help = nullptr;
    bool focused = false;
  };
  struct Group {
    std::string name;
    QWidget* box = nullptr;
    QGridLayout* grid = nullptr;
    QToolButton* more = nullptr;
    std::vector<std::size_t> rows;
    bool open = false;
  };

  void makeGroups();
  void makeRow(Group& group, const Field& field);
  void readDraft();
  void showRow(Row& row);
  void showRows();
  bool matches(const Row& row) const;
  QString helpText(const Row& row) const;
  void retheme();

  ConfigDraft& draft_;
  const Theme& theme_;
  QVBoxLayout* column_;
  std::vector<Row> rows_;
  std::vector<Group> groups_;
  QString filter_;
  std::string typing_;  // path of the field whose editor has changed: its text is not overwritten
};

}  // namespace batchwise
