// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/page_area.h"

#include <QtCore/QEvent>
#include <QtGui/QCursor>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QVBoxLayout>
#include <algorithm>

namespace batchwise {

PageArea::PageArea(QWidget& pages, QWidget& message, QWidget* parent)
    : QWidget(parent), pages_(pages), message_(message), reserved_(new QWidget(this)), layout_(new QVBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(0);
  layout_->addWidget(&pages_, 1);
  layout_->addWidget(reserved_);
  message_.setParent(this);
  message_.raise();
  pages_.installEventFilter(this);
  message_.installEventFilter(this);
  reserveSpace();
}

bool PageArea::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (watched == &message_) {
    if (type == QEvent::Show) chooseEdge();
    if (type == QEvent::Show || type == QEvent::Hide || type == QEvent::LayoutRequest) messageChanged();
  } else if (type == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Tab || key == Qt::Key_Backtab) reserveSpace();
  } else if (watched == &pages_ && type == QEvent::Leave) {
    reserveSpace();
  }
  return QWidget::eventFilter(watched, event);
}

void PageArea::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  messageChanged();
}

int PageArea::messageHeight() const {
  if (message_.isHidden()) return 0;
  const int wanted = message_.hasHeightForWidth() ? message_.heightForWidth(width()) : message_.sizeHint().height();
  return std::min(wanted, height());
}

/// Chooses the edge for a message that appears.
void PageArea::chooseEdge() {
  const int fromBelow = height() - mapFromGlobal(QCursor::pos()).y();
  above_ = pages_.underMouse() && fromBelow <= messageHeight();
}

void PageArea::messageChanged() {
  placeMessage();
  if (!pages_.underMouse()) return reserveSpace();
  // On the application: key events go to the focused widget.
  if (reserved_->height() != messageHeight()) qApp->installEventFilter(this);
}

void PageArea::reserveSpace() {
  qApp->removeEventFilter(this);
  layout_->setDirection(above_ ? QBoxLayout::BottomToTop : QBoxLayout::TopToBottom);
  reserved_->setFixedHeight(messageHeight());
  reserved_->setMinimumWidth(message_.isHidden() ? 0 : message_.minimumSizeHint().width());
  placeMessage();
}

void PageArea::placeMessage() {
  const int high = messageHeight();
  message_.setGeometry(0, above_ ? 0 : height() - high, width(), high);
}

}  // namespace batchwise
