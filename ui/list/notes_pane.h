// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QHash>
#include <QtCore/QTimer>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QWidget>

#include "ui/theme/theme.h"

class QPlainTextEdit;
class QStackedLayout;
class QToolButton;

namespace batchwise {

class ElidedLabel;
class RunList;
class Selection;

/// Shows rendered Markdown. Loads nothing: images appear as placeholders, HTML as text. A clicked http or https link
/// opens in the desktop's browser.
class NoteView final : public QTextBrowser {
  Q_OBJECT

 public:
  explicit NoteView(QWidget* parent = nullptr);

  void setNote(const QString& markdown);

 Q_SIGNALS:
  /// A double click: the user wants to edit.
  void editRequested();

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  QVariant loadResource(int type, const QUrl& name) override;
  void mouseDoubleClickEvent(QMouseEvent* /*event*/) override { Q_EMIT editRequested(); }
};

/// Shows and edits the Markdown note on the selected run; saves shortly after the last keystroke.
class NotesPane final : public QWidget {
  Q_OBJECT

 public:
  NotesPane(const RunList& runs, const Selection& selection, QWidget* parent = nullptr);

  /// Saves at once what was typed last, and again what was not stored.
  void saveNow();
  /// Whether saveNow() would save something.
  bool unsaved() const { return delay_.isActive() || hasUnstored(); }
  /// Whether a note was emitted that is not stored: yet, or because that failed.
  bool hasUnstored() const;
  /// The store has a note that was emitted, and the run list has it from its next reading on, perhaps shortened.
  void setStored(const QString& run, const QString& markdown);
  /// The run list was read again: shows its note, unless something is being typed.
  void readNote();

 Q_SIGNALS:
  void noteChanged(const QString& run, const QString& markdown);

 private:
  struct Emitted {
    QString note;
    bool stored = false;
  };
  /// First saves what was typed for the run that was selected `before`.
  void showRun(const QString& before);
  void showNote();
  void save(const QString& run);
  void choosePage();

  const RunList& runs_;
  const Selection& selection_;
  ElidedLabel* title_;
  QPlainTextEdit* text_;
  NoteView* view_;
  QStackedLayout* pages_;
  QToolButton* write_;  // checked: edit mode
  QTimer delay_;
  QHash<QString, Emitted> emitted_;  // by run: as last emitted, until the run list has it
};

}  // namespace batchwise
