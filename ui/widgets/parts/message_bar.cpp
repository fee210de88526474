// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/message_bar.h"

#include <QtGui/QAccessible>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>

#include "ui/models/display_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/labels.h"

namespace batchwise {
namespace {

constexpr int kShownMs = 15'000;

QColor levelColor(NoteLevel level, const ThemeColors& colors) {
  switch (level) {
    case NoteLevel::Info: return colors.accent;
    case NoteLevel::Warning: return colors.warning;
    case NoteLevel::Error: return colors.bad;
  }
  return colors.text;
}

}  // namespace

MessageBar::MessageBar(const Theme& theme, QWidget* parent)
    : QFrame(parent),
      theme_(theme),
      icon_(new QLabel(this)),
      title_(textLabel(this)),
      details_(textLabel(this, TextLook::Muted)),
      actionRow_(new QHBoxLayout) {
  Theme::setCard(this);
  auto* copy = flatButton(this, tr("Copy this message"));
  auto* close = flatButton(this, tr("Close this message"));
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(8, 4, 4, 4);
  layout->setHorizontalSpacing(8);
  layout->setVerticalSpacing(0);
  layout->addWidget(icon_, 0, 0, Qt::AlignTop);
  layout->addWidget(title_, 0, 1);
  layout->addWidget(details_, 1, 1);
  actionRow_->setSpacing(8);
  layout->addLayout(actionRow_, 0, 2, 2, 1, Qt::AlignTop);
  layout->addWidget(copy, 0, 3, Qt::AlignTop);
  layout->addWidget(close, 0, 4, Qt::AlignTop);
  layout->setColumnStretch(1, 1);
  connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(text()); });
  connect(close, &QToolButton::clicked, this, &MessageBar::clear);
  const auto recolorAll = [this, copy, close] {
    copy->setIcon(theme_.icon(QStringLiteral("copy")));
    close->setIcon(theme_.icon(QStringLiteral("close")));
    recolor();
  };
  hideTimer_.setSingleShot(true);
  connect(&hideTimer_, &QTimer::timeout, this, &MessageBar::hideOrWait);
  connect(&theme, &Theme::changed, this, recolorAll);
  recolorAll();
  hide();
}

void MessageBar::recolor() {
  const int side = std::max(16, fontMetrics().height());
  const qreal ratio = devicePixelRatioF();
  QPixmap pixmap = iconPixmap(levelIcon(level_), levelColor(level_, theme_.colors()), QSize(side, side) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  icon_->setPixmap(pixmap);
}

void MessageBar::showMessage(NoteLevel level, const QString& title, const QString& details) {
  const bool mattersMore = isVisible() && (level_ == NoteLevel::Error || !actions_.empty());
  if (level == NoteLevel::Info && mattersMore) return Q_EMIT infoSuppressed(sentenceCase(title));
  showActions(level, title, details, {});
}

void MessageBar::showActions(NoteLevel level, const QString& title, const QString& details,
                             const QStringList& actions) {
  Q_EMIT replaced();
  level_ = level;
  title_->setText(sentenceCase(title));
  details_->setText(sentenceCase(details));
  details_->setVisible(!details.isEmpty());
  makeActions(actions);
  recolor();
  show();
  setAccessibleName(text());
  QAccessibleEvent alert(this, QAccessible::Alert);  // screen readers read it, wherever the focus is
  QAccessible::updateAccessibility(&alert);
  if (level == NoteLevel::Info && actions.isEmpty())
    hideTimer_.start(kShownMs);
  else
    hideTimer_.stop();
}

void MessageBar::hideOrWait() {
  if (underMouse())
    hideTimer_.start(kShownMs);
  else
    clear();
}

void MessageBar::makeActions(const QStringList& actions) {
  for (QPushButton* button : std::exchange(actions_, {})) {
    button->hide();
    button->deleteLater();  // it may be the sender of the current click
  }
  for (const QString& words : actions) {
    auto* button = new QPushButton(words, this);
    if (actions_.empty()) Theme::setPrimary(button);
    const int number = static_cast<int>(actions_.size());
    connect(button, &QPushButton::clicked, this, [this, number] { Q_EMIT actionTriggered(number); });
    actionRow_->addWidget(button);
    actions_.push_back(button);
  }
}

void MessageBar::clear() {
  hideTimer_.stop();
  Q_EMIT replaced();
  hide();
}

QString MessageBar::text() const {
  return details_->text().isEmpty() ? title_->text() : title_->text() + QLatin1Char('\n') + details_->text();
}

}  // namespace batchwise
