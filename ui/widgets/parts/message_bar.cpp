// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/message_bar.h"

#include <QtCore/QRegularExpression>
#include <QtCore/QScopedValueRollback>
#include <QtGui/QClipboard>
#include <QtGui/QCursor>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QAccessibleWidget>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <algorithm>
#include <utility>

#include "ui/models/display_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/flow_layout.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kInfoMs = 8'000;
constexpr int kWarningMs = 24'000;
constexpr int kPollMs = 250;
constexpr std::size_t kStacked = 3;

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

/// Makes screen readers announce cards as alerts.
QAccessibleInterface* alertInterface(const QString& type, QObject* object) {
  if (type != QLatin1String(MessageCard::staticMetaObject.className())) return nullptr;
  return new QAccessibleWidget(static_cast<QWidget*>(object), QAccessible::AlertMessage);
}

/// Lets words that are longer than a line be broken anywhere.
QString breakable(const QString& text) {
  static const QRegularExpression longWord(QStringLiteral("(\\S{24})(?=\\S)"));
  return QString(text).replace(longWord, QStringLiteral("\\1\u200B"));
}

QLabel* wrappedLabel(QWidget* parent, TextLook look, const QString& text) {
  QLabel* label = textLabel(parent, look, breakable(sentenceCase(text)));
  QSizePolicy policy = label->sizePolicy();
  policy.setHorizontalPolicy(QSizePolicy::Ignored);
  label->setSizePolicy(policy);
  return label;
}

/// Buttons, and all that the keyboard reaches: fields, tables, charts.
bool isControl(const QWidget& widget) {
  const bool isReached = (widget.focusPolicy() & Qt::TabFocus) != 0 && !qobject_cast<const QScrollArea*>(&widget);
  return isReached || qobject_cast<const QAbstractButton*>(&widget) != nullptr;
}

}  // namespace

MessageCard::MessageCard(const Theme& theme, UserMessage message, QWidget* parent)
    : QFrame(parent),
      theme_(theme),
      message_(std::move(message)),
      icon_(new QLabel(this)),
      line_(new ElidedLabel(this)),
      title_(wrappedLabel(this, TextLook::Body, message_.title)),
      details_(wrappedLabel(this, TextLook::Muted, message_.details)),
      top_(row(nullptr, {icon_, {line_, 1}, {title_, 1}}, {{0, 0, 0, 0}, 8})),
      below_(new QWidget(this)),
      more_(new QToolButton(this)),
      copy_(flatButton(this, tr("Copy this message"))),
      close_(flatButton(this, tr("Close this message"))) {
  Theme::setCard(this);
  line_->setText(sentenceCase(message_.title));
  setAccessibleName(text());
  more_->setText(tr("More"));
  more_->setToolTip(tr("Show the whole message"));
  new FlowLayout(below_);
  makeActions();
  for (QToolButton* button : {more_, copy_, close_}) top_->addWidget(button);
  column(this, {top_, details_, below_}, {{8, 1, 4, 1}, 2});
  details_->setContentsMargins(24, 0, 0, 4);
  connect(more_, &QToolButton::clicked, this, &MessageCard::unfoldRequested);
  connect(copy_, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(text()); });
  connect(close_, &QToolButton::clicked, this, &MessageCard::closeRequested);
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &MessageCard::expired);
  connect(&theme, &Theme::changed, this, &MessageCard::recolor);
  recolor();
}

void MessageCard::makeActions() {
  for (const QString& text : message_.actions) {
    auto* button = new QPushButton(text, this);
    if (actions_.empty()) Theme::setPrimary(button);
    const int number = static_cast<int>(actions_.size());
    connect(button, &QPushButton::clicked, this, [this, number] {
      if (message_.chosen) message_.chosen(number);
    });
    top_->addWidget(button);
    actions_.push_back(button);
  }
}

void MessageCard::recolor() {
  const int side = std::max(16, fontMetrics().height());
  const qreal ratio = devicePixelRatioF();
  const QColor color = levelColor(message_.level, theme_.colors());
  QPixmap pixmap = iconPixmap(levelIcon(message_.level), color, QSize(side, side) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  icon_->setPixmap(pixmap);
  copy_->setIcon(theme_.icon(QStringLiteral("copy")));
  close_->setIcon(theme_.icon(QStringLiteral("close")));
}

QString MessageCard::text() const {
  const QString title = sentenceCase(message_.title);
  return message_.details.isEmpty() ? title : title + QLatin1Char('\n') + sentenceCase(message_.details);
}

void MessageCard::setFolded(bool folded) {
  folded_ = folded;
  updateParts();
}

void MessageCard::setHidesOthers(bool others) {
  hidesOthers_ = others;
  updateParts();
}

void MessageCard::placeActions(bool inTopLine) {
  const bool areInTopLine = actions_.empty() || top_->indexOf(actions_.front()) >= 0;
  if (areInTopLine == inTopLine) return;
  int place = top_->indexOf(more_);
  for (QPushButton* button : actions_) {
    inTopLine ? below_->layout()->removeWidget(button) : top_->removeWidget(button);
    inTopLine ? top_->insertWidget(place++, button) : below_->layout()->addWidget(button);
  }
}

/// Unfolded, the buttons are in the top line where title and buttons fit there. Folded, where the buttons need more
/// than three fifths of it, only the first one is shown.
void MessageCard::updateParts() {
  int wanted = 0;
  for (const QPushButton* button : actions_) wanted += button->sizeHint().width() + 8;
  const int title = line_->fontMetrics().horizontalAdvance(line_->text());
  const int rest = width() - 6 * icon_->sizeHint().width();
  const bool all = !folded_ || wanted <= width() * 3 / 5;
  const bool below = !folded_ && wanted + title > rest;
  placeActions(!below);
  for (std::size_t i = 1; i < actions_.size(); ++i) actions_[i]->setVisible(all);
  line_->setVisible(folded_);
  title_->setVisible(!folded_);
  details_->setVisible(!folded_ && !message_.details.isEmpty());
  below_->setVisible(below && !actions_.empty());
  copy_->setVisible(!folded_);
  more_->setVisible(folded_ && (hidesOthers_ || !all || wanted + title > rest || !message_.details.isEmpty()));
}

void MessageCard::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  updateParts();
}

void MessageCard::focusButton() {
  QAbstractButton* first = actions_.empty() ? static_cast<QAbstractButton*>(close_) : actions_.front();
  first->setFocus(Qt::ShortcutFocusReason);
}

MessageBar::MessageBar(const Theme& theme, QWidget* parent)
    : QFrame(parent), theme_(theme), scroll_(new QScrollArea(this)) {
  static const bool installed = (QAccessible::installFactory(alertInterface), true);
  Q_UNUSED(installed);
  setObjectName(QStringLiteral("messages"));
  setAutoFillBackground(true);
  auto* content = new QWidget(scroll_);
  list_ = column(content, {}, {{0, 0, 0, 0}, 4});
  fillScrollArea(*scroll_, content);
  scroll_->setFocusPolicy(Qt::NoFocus);
  column(this, {scroll_}, {{0, 0, 0, 0}, 0});
  later_.setSingleShot(true);
  connect(&later_, &QTimer::timeout, this, &MessageBar::showCards);
  watch_.setInterval(kPollMs);
  connect(&watch_, &QTimer::timeout, this, &MessageBar::foldIfInTheWay);
  parent->installEventFilter(this);
  hide();
}

int MessageBar::lineHeight(QWidget& like) {
  QPushButton probe(QStringLiteral("X"), &like);
  Theme::setPrimary(&probe);
  probe.ensurePolished();
  return probe.sizeHint().height() + 6;
}

void MessageBar::setPlace(QWidget& place) {
  place_ = &place;
  place.installEventFilter(this);
  later_.start(0);
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  // Later: until then the layout of the window has not taken place.
  if (type == QEvent::Resize || type == QEvent::Move || type == QEvent::Show) later_.start(0);
  return QFrame::eventFilter(watched, event);
}

void MessageBar::showMessage(NoteLevel level, const QString& title, const QString& details, const QString& subject) {
  add({level, title, details, subject, {}, {}});
}

void MessageBar::add(UserMessage message) {
  const auto about = [&message](const MessageCard* card) {
    return !message.subject.isEmpty() && card->message().subject == message.subject;
  };
  const auto same = [&message](const MessageCard* card) {
    return card->message().subject == message.subject && card->message().title == message.title &&
           card->message().details == message.details && card->message().actions == message.actions;
  };
  auto found = std::find_if(cards_.begin(), cards_.end(), about);
  if (found == cards_.end()) found = std::find_if(cards_.begin(), cards_.end(), same);
  if (found == cards_.end()) {
    cards_.push_back(makeCard(std::move(message), 0));
    return arrange();
  }
  MessageCard* old = *found;
  const bool hadFocus = old->isAncestorOf(QApplication::focusWidget());
  *found = makeCard(std::move(message), list_->indexOf(old));
  MessageCard* made = *found;
  list_->removeWidget(old);
  old->hide();
  old->deleteLater();
  arrange();
  if (hadFocus) made->focusButton();
}

MessageCard* MessageBar::makeCard(UserMessage message, int index) {
  auto* card = new MessageCard(theme_, std::move(message), scroll_->widget());
  list_->insertWidget(std::max(0, index), card);
  connect(card, &MessageCard::closeRequested, this, [this, card] { close(card); });
  connect(card, &MessageCard::expired, this, [this, card] { closeLater(card); });
  connect(card, &MessageCard::unfoldRequested, this, [this, card] {
    keptUnfolded_ = true;
    arrange();
    card->focusButton();
  });
  closeLater(card);
  QAccessibleEvent alert(card, QAccessible::Alert);  // screen readers read it, wherever the focus is
  QAccessible::updateAccessibility(&alert);
  return card;
}

/// Restarts the time of a new card, or of one that is in use; closes one whose time is over.
void MessageBar::closeLater(MessageCard* card) {
  const int rank = importance(card->message());
  if (rank == 2) return;
  const bool isNew = std::find(cards_.begin(), cards_.end(), card) == cards_.end();
  if (isNew || isUsed())
    card->closeAfter(rank == 1 ? kWarningMs : kInfoMs);
  else
    close(card);
}

bool MessageBar::isUsed() const {
  const QWidget* focus = QApplication::focusWidget();
  return underMouse() || (focus != nullptr && isAncestorOf(focus));
}

void MessageBar::close(MessageCard* card) {
  const QWidget* focus = QApplication::focusWidget();
  const bool hadFocus = focus != nullptr && isAncestorOf(focus);
  std::erase(cards_, card);
  list_->removeWidget(card);
  card->hide();
  card->deleteLater();  // one of its buttons may be the sender of the current click
  arrange();
  if (!hadFocus) return;
  if (MessageCard* next = front())
    next->focusButton();
  else if (focusBefore_)
    focusBefore_->setFocus(Qt::OtherFocusReason);
}

void MessageBar::withdraw(const QString& subject) {
  if (subject.isEmpty()) return;
  const auto found = std::find_if(cards_.begin(), cards_.end(),
                                  [&](const MessageCard* card) { return card->message().subject == subject; });
  if (found != cards_.end()) close(*found);
}

void MessageBar::clear() {
  while (!cards_.empty()) close(cards_.back());
}

MessageCard* MessageBar::front() const {
  MessageCard* found = nullptr;
  for (MessageCard* card : cards_)
    if (found == nullptr || importance(card->message()) >= importance(found->message())) found = card;
  return found;
}

QString MessageBar::text() const {
  const MessageCard* card = front();
  return card == nullptr ? QString() : card->text();
}

QStringList MessageBar::texts() const {
  QStringList all;
  for (const MessageCard* card : cards_) all << card->text();
  return all;
}

/// Showing and hiding a card under the mouse sends enter and leave events at once: those of its own work do not count.
void MessageBar::arrange() {
  if (arranging_) return;
  const QScopedValueRollback guard(arranging_, true);
  if (cards_.empty()) keptUnfolded_ = false;
  chooseFolded();
  showCards();
}

/// The card in the reserved line does not change while the mouse is over it. A new information is shown at once: it
/// goes by itself, and what it hid is then back.
void MessageBar::chooseFolded() {
  const MessageCard* before = folded_;
  folded_ = nullptr;
  if (cards_.empty()) return;
  showCards();
  if (keptUnfolded_ || !covers(unfoldedPlace())) return;
  const bool stays = underMouse() && std::find(cards_.begin(), cards_.end(), before) != cards_.end();
  folded_ = stays                                       ? const_cast<MessageCard*>(before)
            : importance(cards_.back()->message()) == 0 ? cards_.back()
                                                        : front();
}

void MessageBar::showCards() {
  std::vector<MessageCard*> order(cards_.rbegin(), cards_.rend());
  std::stable_sort(order.begin(), order.end(), [](const MessageCard* first, const MessageCard* second) {
    return importance(first->message()) > importance(second->message());
  });
  if (folded_ != nullptr) order = {folded_};
  order.resize(std::min(order.size(), kStacked));
  for (MessageCard* card : cards_) {
    card->setFolded(card == folded_);
    card->setHidesOthers(cards_.size() > 1);
    card->setVisible(std::find(order.begin(), order.end(), card) != order.end());
  }
  scroll_->setVerticalScrollBarPolicy(folded_ != nullptr ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  setGeometry(folded_ != nullptr ? reservedLine() : unfoldedPlace());
  setVisible(!cards_.empty());
  raise();
  const bool mayCover = isVisible() && folded_ == nullptr && !keptUnfolded_;
  mayCover ? watch_.start() : watch_.stop();
}

QRect MessageBar::reservedLine() const {
  const QWidget& window = *parentWidget();
  if (place_) return {place_->mapTo(&window, QPoint()), place_->size()};
  const int high = lineHeight(*const_cast<MessageBar*>(this));
  return {0, window.height() - high, window.width(), high};
}

QRect MessageBar::unfoldedPlace() const {
  QRect place = reservedLine();
  const int wanted = list_->totalHeightForWidth(place.width());
  place.setTop(place.bottom() + 1 -
               std::clamp(wanted, place.height(), std::max(place.height(), parentWidget()->height() / 2)));
  return place;
}

bool MessageBar::covers(const QRect& place) const {
  const QWidget& window = *parentWidget();
  if (place.height() <= reservedLine().height()) return false;
  if (!underMouse() && place.contains(window.mapFromGlobal(QCursor::pos()))) return true;
  const QWidget* focus = QApplication::focusWidget();
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    const bool counts = widget->isVisible() && widget->window() == &window && (isControl(*widget) || widget == focus);
    if (!counts || isAncestorOf(widget)) continue;
    if (place.intersects({widget->mapTo(&window, QPoint()), widget->size()})) return true;
  }
  return false;
}

void MessageBar::foldIfInTheWay() {
  if (!isUsed() && covers(geometry())) arrange();
}

void MessageBar::leaveEvent(QEvent* event) {
  QFrame::leaveEvent(event);
  if (folded_ != nullptr) arrange();
}

void MessageBar::focusMessages() {
  MessageCard* card = front();
  if (card == nullptr) return;
  QWidget* focus = QApplication::focusWidget();
  if (focus == nullptr || !isAncestorOf(focus)) focusBefore_ = focus;
  keptUnfolded_ = true;
  arrange();
  card->focusButton();
}

void MessageBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) return QFrame::keyPressEvent(event);
  const auto focused = std::find_if(cards_.begin(), cards_.end(), [](const MessageCard* card) {
    return card->isAncestorOf(QApplication::focusWidget());
  });
  if (focused != cards_.end()) close(*focused);
}

}  // namespace batchwise
