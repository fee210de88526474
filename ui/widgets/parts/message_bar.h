// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QFrame>
#include <vector>

#include "core/events/run_event.h"
#include "ui/theme/theme.h"

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace batchwise {

/// Bar for one message: title, details, action buttons, and buttons to copy and to close it. Hidden while there is no
/// message. An Info without actions hides itself after 15 seconds, unless the mouse is over it.
class MessageBar final : public QFrame {
  Q_OBJECT

 public:
  explicit MessageBar(const Theme& theme, QWidget* parent = nullptr);

  /// Replaces the message shown. An Info does not replace an error or a message with actions; infoSuppressed() is
  /// emitted instead. `title` is one sentence; `details` may have several lines, or be empty.
  void showMessage(NoteLevel level, const QString& title, const QString& details = {});
  /// Shows a message with action buttons, the first being the primary one. A click emits actionTriggered().
  void showActions(NoteLevel level, const QString& title, const QString& details, const QStringList& actions);
  void clear();
  QString text() const;

  /// Show a message of one kind. These may be connected to signals.
  void showInfo(const QString& sentence) { showMessage(NoteLevel::Info, sentence); }
  void showWarning(const QString& sentence) { showMessage(NoteLevel::Warning, sentence); }
  void showError(const QString& sentence) { showMessage(NoteLevel::Error, sentence); }
  void showWritten(const QString& file) { showInfo(tr("Written to %1").arg(file)); }
  /// Reports that `what` cannot be used, because of `why`.
  void showUnusable(const QString& what, const QString& why) {
    showMessage(NoteLevel::Error, tr("%1 cannot be used").arg(what), why);
  }

 Q_SIGNALS:
  /// `action`: index of the button, from 0.
  void actionTriggered(int action);
  /// Emitted before the message shown is replaced or cleared.
  void replaced();
  /// An Info was not shown because an error or a message with actions is open.
  void infoSuppressed(const QString& text);

 private:
  void recolor();
  void makeActions(const QStringList& actions);
  void hideOrWait();

  const Theme& theme_;
  NoteLevel level_ = NoteLevel::Info;
  QLabel* icon_;
  QLabel* title_;
  QLabel* details_;
  QHBoxLayout* actionRow_;
  std::vector<QPushButton*> actions_;
  QTimer hideTimer_;
};

}  // namespace batchwise
