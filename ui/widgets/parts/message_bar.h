// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointer>
#include <QtCore/QTimer>
#include <QtWidgets/QFrame>
#include <functional>
#include <vector>

#include "core/events/run_event.h"
#include "ui/theme/theme.h"

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
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
};

/// One message: title, details, its action buttons, and buttons to copy and to close it. Folded, it takes one line with
/// the title elided and without the details. Screen readers know it as an alert.
class MessageCard final : public QFrame {
  Q_OBJECT

 public:
  MessageCard(const Theme& theme, UserMessage message, QWidget* parent);

  const UserMessage& message() const { return message_; }
  /// Returns title and details.
  QString text() const;
  void setFolded(bool folded);
  /// `others`: whether further messages are hidden behind this one while it is folded.
  void setHidesOthers(bool others);
  /// Gives the first button the keyboard focus.
  void focusButton();
  /// Closes the card after `ms`.
  void closeAfter(int ms) { timer_.start(ms); }

 Q_SIGNALS:
  void unfoldRequested();
  void closeRequested();
  /// Its time is over.
  void expired();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeActions();
  void recolor();
  void updateParts();
  void placeActions(bool inTopLine);

  const Theme& theme_;
  const UserMessage message_;
  QLabel* icon_;
  ElidedLabel* line_;
  QLabel *title_, *details_;
  QHBoxLayout* top_;
  QWidget* below_;  // has the buttons where the top line is too short for them
  std::vector<QPushButton*> actions_;
  QToolButton *more_, *copy_, *close_;
  QTimer timer_;
  bool folded_ = false, hidesOthers_ = false;
};

/// Messages over the window, at one place: they overlay it and change nothing of its layout. Up to three are stacked,
/// above one line that is reserved for them. They unfold only where they cover no button, field, table or chart, nor
/// the mouse or the keyboard focus; elsewhere the most important one is shown in the reserved line. An Info closes
/// itself after 8 seconds, a Warning after 24, unless the mouse or the focus is on a message; errors and messages with
/// actions stay until they are closed or withdrawn.
class MessageBar final : public QFrame {
  Q_OBJECT

 public:
  /// Overlays `parent`.
  explicit MessageBar(const Theme& theme, QWidget* parent);

  /// Reserves the line of this widget, which lies in the parent; before, it is the lowest line of the parent.
  void setPlace(QWidget& place);
  /// Returns the height of the reserved line.
  static int lineHeight(QWidget& like);

  /// A message that is shown already is not repeated.
  void add(UserMessage message);
  void showMessage(NoteLevel level, const QString& title, const QString& details = {}, const QString& subject = {});
  /// Closes the message about `subject`.
  void withdraw(const QString& subject);
  /// Closes all messages.
  void clear();
  /// Returns the text of the most important message: of errors and offers before warnings and others, the newest.
  QString text() const;
  /// Returns the texts of all messages, oldest first.
  QStringList texts() const;
  /// Unfolds the messages and gives the first button the keyboard focus; Escape closes them one by one and returns the
  /// focus. Does nothing if there is no message.
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
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  MessageCard* front() const;
  MessageCard* makeCard(UserMessage message, int index);
  bool isUsed() const;
  void close(MessageCard* card);
  void closeLater(MessageCard* card);
  void arrange();
  void chooseFolded();
  void showCards();
  QRect reservedLine() const;
  QRect unfoldedPlace() const;
  bool covers(const QRect& place) const;
  void foldIfInTheWay();

  const Theme& theme_;
  QScrollArea* scroll_;
  QBoxLayout* list_;
  std::vector<MessageCard*> cards_;  // oldest first
  QPointer<MessageCard> folded_;     // the one in the reserved line; null: unfolded
  QPointer<QWidget> place_, focusBefore_;
  QTimer later_, watch_;
  bool keptUnfolded_ = false;  // by the user
  bool arranging_ = false;
};

}  // namespace batchwise
