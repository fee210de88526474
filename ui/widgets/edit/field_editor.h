// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "core/config/schema.h"

class QCheckBox;
class QComboBox;
class QLineEdit;

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

}  // namespace batchwise
