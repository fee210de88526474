// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

#include "ui/theme/theme.h"

class QLabel;
class QPlainTextEdit;
class QStackedLayout;
class QToolButton;

namespace batchwise {

class NoteView;
class RunListModel;

/// Shows and edits the Markdown note on the selected run; saves shortly after the last keystroke.
class NotesPane final : public QWidget {
  Q_OBJECT

 public:
  NotesPane(const RunListModel& runs, QWidget* parent = nullptr);

  /// Empty: no run. First saves what was typed for the previous run.
  void setRun(const QString& run);
  /// Saves at once what was typed last.
  void saveNow();
  /// Reloads the note, unless something is being typed.
  void readNote();

 Q_SIGNALS:
  void noteChanged(const QString& run, const QString& markdown);

 private:
  void save();
  void setWriting(bool on);
  void choosePage();

  const RunListModel& runs_;
  QLabel* title_;
  QPlainTextEdit* text_;
  NoteView* view_;
  QStackedLayout* pages_;
  QToolButton* write_;  // checked: edit mode
  QTimer delay_;
  QString run_;
  QString emitted_;  // the note as last emitted, until the run list has it
};

}  // namespace batchwise
