// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parts/labels.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QLabel>
#include <QtWidgets/QStyle>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QToolTip>
#include <algorithm>

#include "ui/models/display_text.h"

namespace batchwise {

QLabel* textLabel(QWidget* parent, TextLook look, const QString& text) {
  auto* label = plainLabel(parent, look, text);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QString escapeMnemonic(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QLabel* plainLabel(QWidget* parent, TextLook look, const QString& text) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  Theme::setLook(label, look);
  return label;
}

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
}

QSize ElidedLabel::minimumSizeHint() const {
  return {0, QLabel::minimumSizeHint().height()};
}

bool ElidedLabel::event(QEvent* event) {
  const bool isElided = fontMetrics().horizontalAdvance(text()) > contentsRect().width();
  if (event->type() != QEvent::ToolTip || !isElided || !toolTip().isEmpty()) return QLabel::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainToolTip(text()), this);
  return true;
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
  style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(), shown,
                        foregroundRole());
}

void keepWidest(QAbstractButton& button, const QStringList& texts) {
  const auto widthOf = [&button](QString text) {
    return button.fontMetrics().horizontalAdvance(text.remove(QLatin1Char('&')));
  };
  int widest = 0;
  for (const QString& text : texts) widest = std::max(widest, widthOf(text));
  button.setMinimumWidth(button.sizeHint().width() + widest - widthOf(button.text()));
}

QToolButton* flatButton(QWidget* parent, const QString& name) {
  auto* button = new QToolButton(parent);
  button->setAutoRaise(true);
  button->setToolTip(name);
  button->setAccessibleName(name);
  return button;
}

}  // namespace batchwise
