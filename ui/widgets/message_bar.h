// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QFrame>

#include "core/events/run_event.h"
#include "ui/theme/theme.h"

class QLabel;
class QPushButton;

namespace batchwise {

/// One message above the page: what happened, what to do, an optional action, copy and close. Hidden while there is
/// none.
class MessageBar final : public QFrame {
  Q_OBJECT

 public:
  explicit MessageBar(const Theme& theme, QWidget* parent = nullptr);

  /// Replaces what was shown. `title` is one sentence; `details` may have several lines, or be empty.
  void showMessage(NoteLevel level, const QString& title, const QString& details = {});
  /// A message with one action; actionTriggered() follows a press.
  void showAction(NoteLevel level, const QString& title, const QString& details, const QString& action);
  void clear();
  QString text() const;

 Q_SIGNALS:
  void actionTriggered();

 private:
  void recolor();

  const Theme& theme_;
  NoteLevel level_ = NoteLevel::Info;
  QLabel* icon_;
  QLabel* title_;
  QLabel* details_;
  QPushButton* action_;
};

}  // namespace batchwise
