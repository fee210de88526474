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

/// The note on the selected run: Markdown to be read, or to be written; kept a moment after the last letter.
class NotesPane final : public QWidget {
  Q_OBJECT

 public:
  NotesPane(const RunListModel& runs, QWidget* parent = nullptr);

  /// Empty: no run. What was typed for the run before is kept first.
  void setRun(const QString& run);
  /// Hands over what was typed last without waiting for a pause.
  void saveNow();
  /// Shows the note anew, unless something is being typed.
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
  QToolButton* write_;  // checked: the person writes
  QTimer delay_;
  QString run_;
  QString kept_;  // the note as it was told last, until the list has it
};

}  // namespace batchwise
