// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "core/config/schema.h"

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace batchwise {

/// True for the keys of undo and redo, before a line of text takes them for itself.
bool isUndoKey(const QEvent& event);

/// The control that edits one field, chosen by the field's kind: box, list or line, with Browse for paths. Speaks the
/// text of ConfigDraft.
class FieldEditor final : public QWidget {
  Q_OBJECT

 public:
  explicit FieldEditor(const Field& field, QWidget* parent = nullptr);

  QString text() const;
  /// Shows the text; edited() is not told.
  void setText(const QString& text);
  /// The control that takes the keyboard.
  QWidget* control() const;
  /// Where Browse starts.
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
