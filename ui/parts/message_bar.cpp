// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/message_bar.h"

#include <QtCore/QRegularExpression>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QAccessibleWidget>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <algorithm>
#include <iterator>

#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kInfoMs = 8'000, kWarningMs = 24'000;
constexpr int kExpiryCheckMs = 500;

QColor levelColor(NoteLevel level, const ThemeColors& colors) {
  switch (level) {
    case NoteLevel::Info: return colors.accent;
    case NoteLevel::Warning: return colors.warning;
    case NoteLevel::Error: return colors.bad;
  }
  return colors.text;
}

int importance(const UserMessage& message) {
  if (message.level == NoteLevel::Error || !message.actions.isEmpty()) return 2;
  return message.level == NoteLevel::Warning ? 1 : 0;
}

QDeadlineTimer endOf(const UserMessage& message) {
  const int rank = importance(message);
  return rank == 2 ? QDeadlineTimer(QDeadlineTimer::Forever) : QDeadlineTimer(rank == 1 ? kWarningMs : kInfoMs);
}

bool areSame(const UserMessage& a, const UserMessage& b) {
  if (!a.subject.isEmpty() || !b.subject.isEmpty()) return a.subject == b.subject;
  return a.title == b.title && a.details == b.details && a.actions == b.actions;
}

QPixmap levelPixmap(NoteLevel level, const Theme& theme, const QWidget& of) {
  const int side = std::max(16, of.fontMetrics().height());
  const qreal ratio = of.devicePixelRatioF();
  QPixmap pixmap = iconPixmap(levelIcon(level), levelColor(level, theme.colors()), QSize(side, side) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  return pixmap;
}

/// Lets words that are longer than a line be broken anywhere.
QString breakable(const QString& text) {
  static const QRegularExpression longWord(QStringLiteral("(\\S{24})(?=\\S)"));
  return QString(text).replace(longWord, QStringLiteral("\\1\u200B"));
}

/// Makes screen readers announce messages as alerts.
QAccessibleInterface* alertInterface(const QString& type, QObject* object) {
  if (type != QLatin1String(MessageBar::staticMetaObject.className())) return nullptr;
  return new QAccessibleWidget(static_cast<QWidget*>(object), QAccessible::AlertMessage);
}

}  // namespace

QString UserMessage::text() const {
  return details.isEmpty() ? sentenceCase(title) : sentenceCase(title) + QLatin1Char('\n') + sentenceCase(details);
}

MessageBar::MessageBar(const Theme& theme, QWidget* parent)
    : QFrame(parent),
      theme_(theme),
      icon_(new QLabel(this)),
      line_(new ElidedLabel(this)),
      actions_(new QWidget(this)),
      more_(new QToolButton(this)),
      copy_(flatButton(this, tr("Copy this message"))),
      close_(flatButton(this, tr("Close this message"))) {
  static const bool installed = (QAccessible::installFactory(alertInterface), true);
  Q_UNUSED(installed);
  setObjectName(QStringLiteral("messages"));
  Theme::setCard(this);
  more_->setToolTip(tr("Show the messages in full"));
  auto* tools = row(nullptr, {actions_, more_, copy_, close_}, {{0, 0, 0, 0}, 8});
  parts_ = row(this, {{row(nullptr, {icon_, {line_, 1}}, {{0, 0, 0, 0}, 8}), 1}, tools}, {{8, 1, 4, 1}, 8});
  parts_->setAlignment(tools, Qt::AlignRight);
  row(actions_, {}, {{0, 0, 0, 0}, 8});
  for (QToolButton* button : {more_, copy_, close_}) button->setFocusPolicy(Qt::TabFocus);
  connect(more_, &QToolButton::clicked, this, &MessageBar::openAll);
  connect(copy_, &QToolButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(shown()->message.text()); });
  connect(close_, &QToolButton::clicked, this, [this] { close(shown()); });
  connect(&theme, &Theme::changed, this, &MessageBar::arrange);
  expiry_.setInterval(kExpiryCheckMs);
  connect(&expiry_, &QTimer::timeout, this, &MessageBar::closeExpired);
  hide();
}

void MessageBar::showMessage(NoteLevel level, const QString& title, const QString& details, const QString& subject) {
  add({level, title, details, subject, {}, {}});
}

void MessageBar::add(UserMessage message) {
  const auto same = std::ranges::find_if(entries_, [&](const Entry& each) { return areSame(each.message, message); });
  const bool isNews = same == entries_.end() || same->message.text() != message.text();
  if (same != entries_.end()) entries_.erase(same);
  entries_.push_back({std::move(message), {}});
  entries_.back().ends = endOf(entries_.back().message);
  arrange();
  if (!isNews) return;
  QAccessibleEvent alert(this, QAccessible::Alert);  // screen readers read it, wherever the focus is
  QAccessible::updateAccessibility(&alert);
}

MessageBar::Entries::const_iterator MessageBar::mostImportant() const {
  const auto last = std::max_element(entries_.rbegin(), entries_.rend(), [](const Entry& a, const Entry& b) {
    return importance(a.message) < importance(b.message);
  });
  return last == entries_.rend() ? entries_.end() : std::prev(last.base());
}

MessageBar::Entries::const_iterator MessageBar::shown() const {
  const bool isInfoLast = !entries_.empty() && importance(entries_.back().message) == 0;
  return isInfoLast ? std::prev(entries_.end()) : mostImportant();
}

bool MessageBar::isUsed() const {
  const QWidget* focus = QApplication::focusWidget();
  return list_ || underMouse() || (focus != nullptr && isAncestorOf(focus));
}

void MessageBar::closeExpired() {
  if (isUsed())
    for (Entry& entry : entries_) entry.ends = endOf(entry.message);
  else if (std::erase_if(entries_, [](const Entry& entry) { return entry.ends.hasExpired(); }) > 0)
    arrange();
}

void MessageBar::close(Entries::const_iterator entry) {
  if (entry == entries_.end()) return;
  const QWidget* focus = QApplication::focusWidget();
  const bool hadFocus = focus != nullptr && isAncestorOf(focus);
  entries_.erase(entry);
  arrange();
  if (!hadFocus) return;
  if (!entries_.empty())
    focusMessages();
  else if (focusBefore_)
    focusBefore_->setFocus(Qt::OtherFocusReason);
}

void MessageBar::withdraw(const QString& subject) {
  if (subject.isEmpty()) return;
  close(std::ranges::find_if(entries_, [&](const Entry& each) { return each.message.subject == subject; }));
}

void MessageBar::clear() {
  entries_.clear();
  arrange();
}

QString MessageBar::text() const {
  return entries_.empty() ? QString() : mostImportant()->message.text();
}

QStringList MessageBar::texts() const {
  QStringList all;
  for (const Entry& entry : entries_) all << entry.message.text();
  return all;
}

/// Shows what there is now; the list of all messages would be of before.
void MessageBar::arrange() {
  if (list_) list_->close();
  const bool hadFocus = actions_->isAncestorOf(QApplication::focusWidget());
  for (QWidget* old : actions_->findChildren<QWidget*>()) {
    actions_->layout()->removeWidget(old);
    old->hide();
    old->deleteLater();  // it may be the sender of the current click
  }
  setVisible(!entries_.empty());
  if (entries_.empty()) return expiry_.stop();
  expiry_.start();
  const UserMessage& message = shown()->message;
  addButtons(static_cast<QHBoxLayout&>(*actions_->layout()), message, *actions_);
  actions_->setVisible(!message.actions.isEmpty());
  icon_->setPixmap(levelPixmap(message.level, theme_, *this));
  line_->setText(message.text().replace(QLatin1Char('\n'), QStringLiteral(" – ")));
  line_->setToolTip(plainToolTip(message.text()));
  setAccessibleName(message.text());
  offerMore();
  copy_->setIcon(theme_.icon(QStringLiteral("copy")));
  close_->setIcon(theme_.icon(QStringLiteral("close")));
  if (hadFocus) focusMessages();
}

void MessageBar::offerMore() {
  if (entries_.empty()) return;
  const UserMessage& message = shown()->message;
  const auto others = static_cast<int>(entries_.size()) - 1;
  more_->setText(others > 0 ? tr("%1 more").arg(others) : tr("Details"));
  const bool isLong = !message.details.isEmpty() || fontMetrics().horizontalAdvance(message.title) > width() / 2;
  more_->setVisible(others > 0 || isLong);
  int left = width();
  for (const QWidget* tool : std::initializer_list<QWidget*>{actions_, more_, copy_, close_})
    left -= tool->sizeHint().width();
  const bool isCramped = left < width() * 2 / 3 && fontMetrics().horizontalAdvance(line_->text()) > left;
  parts_->setDirection(isCramped ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void MessageBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  offerMore();
}

void MessageBar::addButtons(QHBoxLayout& line, const UserMessage& message, QWidget& parent) {
  for (qsizetype i = 0; i < message.actions.size(); ++i) {
    auto* button = new QPushButton(message.actions[i], &parent);
    if (i == 0) Theme::setPrimary(button);
    if (parent.window() != window()) connect(button, &QPushButton::clicked, parent.window(), &QWidget::close);
    connect(button, &QPushButton::clicked, this, [chosen = message.chosen, number = static_cast<int>(i)] {
      if (chosen) chosen(number);
    });
    line.addWidget(button);
    button->show();  // at once: a layout shows it when events are handled
  }
}

/// Opens a list of all messages above the line, the newest first.
void MessageBar::openAll() {
  auto* list = named(new QFrame(this, Qt::Popup), "allMessages", tr("Messages"));
  list->setAttribute(Qt::WA_DeleteOnClose);
  auto* area = new QScrollArea(list);
  auto* content = new QWidget(area);
  auto* lines = column(content, {}, {{8, 8, 8, 8}, 8});
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    auto* icon = new QLabel(content);
    icon->setPixmap(levelPixmap(entry->message.level, theme_, *this));
    QLabel* text = textLabel(content, TextLook::Body, breakable(entry->message.text()));
    QHBoxLayout* line = row(nullptr, {{icon, 0, Qt::AlignTop}, {text, 1}}, {{0, 0, 0, 0}, 8});
    addButtons(*line, entry->message, *content);
    lines->addLayout(line);
  }
  fillScrollArea(*area, content);
  column(list, {area}, {{0, 0, 0, 0}, 0});
  const int height = std::clamp(lines->totalHeightForWidth(width()), this->height(), window()->height() / 2);
  list->resize(width(), height);
  list->move(mapToGlobal(QPoint(0, -height)));
  list->show();
  list_ = list;
}

void MessageBar::focusMessages() {
  if (entries_.empty()) return;
  QWidget* focus = QApplication::focusWidget();
  if (focus != nullptr && !isAncestorOf(focus)) focusBefore_ = focus;
  const auto buttons = actions_->findChildren<QPushButton*>(Qt::FindDirectChildrenOnly);
  const auto first = std::ranges::find_if(buttons, [this](const QPushButton* each) {
    return actions_->layout()->indexOf(const_cast<QPushButton*>(each)) >= 0;
  });
  QAbstractButton* button = first == buttons.end() ? static_cast<QAbstractButton*>(close_) : *first;
  button->setFocus(Qt::ShortcutFocusReason);
}

void MessageBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape || entries_.empty()) return QFrame::keyPressEvent(event);
  close(shown());
}

}  // namespace batchwise
