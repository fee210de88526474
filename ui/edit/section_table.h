// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <vector>

#include "core/config/run_stages.h"
#include "ui/theme/theme.h"

class QLineEdit;
class QTableWidget;
class QToolButton;

namespace batchwise {

/// Edits a field whose value is a list of sections, such as the stages of a ramp, as a table with a row for each
/// section: rows are added, removed and moved, cells are edited in place. Keys that a section need not have share the
/// last column, "key: value, …". Text that is no list of sections is shown as a line.
class SectionTable final : public QWidget {
  Q_OBJECT

 public:
  SectionTable(const Field& field, const Theme& theme, QWidget* parent = nullptr);

  const QString& text() const { return text_; }
  /// Shows the text without emitting edited().
  void setText(const QString& text);
  /// Marks the cells that have errors.
  void setProblems(const std::vector<SectionProblem>& problems);
  /// Returns the title of the column that shows this key.
  QString columnTitle(const std::string& key) const;

 Q_SIGNALS:
  void edited(const QString& text);
  void focused(bool has);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeTable();
  void makeButtons();
  void fill(const std::vector<ListSection>& sections);
  void fillRow(int row, const ListSection& section);
  ListSection section(int row) const;
  void commitTable();
  void addRow();
  void removeRow();
  void moveRow(int by);
  void updateControls();
  int columnOf(const std::string& key) const;
  bool hasRestColumn() const { return field_.kind == FieldKind::Schedule; }

  const Field& field_;
  const Theme& theme_;
  std::vector<std::string> keys_;  // of the columns but the last, if it has the rest
  QTableWidget* table_;
  QWidget* buttons_;
  QToolButton *remove_ = nullptr, *up_ = nullptr, *down_ = nullptr;
  QLineEdit* line_;
  QString text_;
  bool filling_ = false;
};

}  // namespace batchwise
