// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QScrollArea>
#include <map>
#include <string>
#include <vector>

#include "core/config/schema.h"
#include "ui/models/config_draft.h"
#include "ui/theme/theme.h"

class QGridLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace batchwise {

class FieldEditor;

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
  bool applies(const Row& row) const;
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
