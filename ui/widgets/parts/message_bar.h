// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QFrame>
#include <optional>
#include <vector>

#include "core/events/run_event.h"
#include "ui/theme/theme.h"

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace batchwise {

/// One message at the lower edge of the page: what happened, what to do, its actions, copy and close. Hidden while
/// there is none. One that only informs goes by itself after a while, unless the mouse is over it.
class MessageBar final : public QFrame {
  Q_OBJECT

 public:
  explicit MessageBar(const Theme& theme, QWidget* parent = nullptr);

  /// Replaces what was shown; but an Info leaves an error or a question where it is: see passedOn(). `title` is one
  /// sentence; `details` may have several lines, or be empty.
  void showMessage(NoteLevel level, const QString& title, const QString& details = {});
  /// A message with actions, the first being the one that goes forward; actionTriggered() follows a press.
  void showActions(NoteLevel level, const QString& title, const QString& details, const QStringList& actions);
  void clear();
  QString text() const;

  struct Message {
    NoteLevel level = NoteLevel::Info;
    QString title, details;
  };
  /// What is shown, without its actions; nothing while it is hidden.
  std::optional<Message> message() const;

 Q_SIGNALS:
  /// Counts from 0.
  void actionTriggered(int action);
  /// What was shown is shown no more.
  void replaced();
  /// Something that is only good to know came while a person had to read or answer something else.
  void passedOn(const QString& text);

 private:
  void recolor();
  void makeActions(const QStringList& actions);
  void goLater();

  const Theme& theme_;
  NoteLevel level_ = NoteLevel::Info;
  QLabel* icon_;
  QLabel* title_;
  QLabel* details_;
  QHBoxLayout* actionRow_;
  std::vector<QPushButton*> actions_;
  QTimer going_;
};

}  // namespace batchwise
