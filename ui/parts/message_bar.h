// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QDeadlineTimer>
#include <QtCore/QPointer>
#include <QtCore/QTimer>
#include <QtWidgets/QFrame>
#include <functional>
#include <vector>

#include "core/config/events/run_event.h"
#include "ui/theme/theme.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace batchwise {

class ElidedLabel;

/// A message for the user.
struct UserMessage {
  NoteLevel level = NoteLevel::Info;
  QString title;        ///< one sentence
  QString details;      ///< may have several lines, or be empty
  QString subject;      ///< what withdraw() takes; a later message about the same subject replaces it. May be empty
  QStringList actions;  ///< texts of the buttons, the first being the primary one
  std::function<void(int action)> chosen;  ///< gets the index of the clicked button; the message stays open

  QString text() const;  ///< title and details
};

/// A line with the most important message, hidden while there is none: of errors and offers before warnings and
/// others the newest. A new information is shown at once; it goes by itself, and what it hid is then back. A button
/// opens all messages in full. An Info closes itself after 8 seconds, a Warning after 24, unless the mouse or the focus
/// is on the line; errors and messages with actions stay until they are closed or withdrawn. Screen readers know it as
/// an alert.
class MessageBar final : public QFrame {
  Q_OBJECT

 public:
  MessageBar(const Theme& theme, QWidget* parent);

  /// A message that is shown already is not repeated; it becomes the newest one.
  void add(UserMessage message);
  void showMessage(NoteLevel level, const QString& title, const QString& details = {}, const QString& subject = {});
  /// Closes the message about `subject`.
  void withdraw(const QString& subject);
  /// Closes all messages.
  void clear();
  /// Returns the text of the most important message.
  QString text() const;
  /// Returns the texts of all messages, oldest first.
  QStringList texts() const;
  /// Gives the first button the keyboard focus; Escape closes the messages one by one and returns the focus. Does
  /// nothing if there is no message.
  void focusMessages();

  /// Show a message of one kind. These may be connected to signals.
  void showInfo(const QString& sentence) { showMessage(NoteLevel::Info, sentence); }
  void showWarning(const QString& sentence) { showMessage(NoteLevel::Warning, sentence); }
  void showError(const QString& sentence) { showMessage(NoteLevel::Error, sentence); }
  void showWritten(const QString& file) { showInfo(tr("Written to %1").arg(file)); }
  /// Reports that `what` cannot be used, because of `why`.
  void showUnusable(const QString& what, const QString& why) {
    showMessage(NoteLevel::Error, tr("%1 cannot be used").arg(what), why);
  }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Entry {
    UserMessage message;
    QDeadlineTimer ends;
  };
  using Entries = std::vector<Entry>;

  Entries::const_iterator mostImportant() const;
  Entries::const_iterator shown() const;
  bool isUsed() const;
  void close(Entries::const_iterator entry);
  void closeExpired();
  void arrange();
  void offerMore();
  void addButtons(QHBoxLayout& line, const UserMessage& message, QWidget& parent);
  void openAll();

  const Theme& theme_;
  QHBoxLayout* parts_ = nullptr;  // the text, and what to do; one below the other where both have no room
  QLabel* icon_;
  ElidedLabel* line_;
  QWidget* actions_;  // of the shown message
  QToolButton *more_, *copy_, *close_;
  Entries entries_;  // oldest first
  QTimer expiry_;
  QPointer<QWidget> list_;  // of all messages, while it is open
  QPointer<QWidget> focusBefore_;
};

}  // namespace batchwise
