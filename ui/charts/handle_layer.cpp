// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/handle_layer.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

constexpr double kReach = 7;      // pixels around a line
constexpr double kDot = 9;        // its diameter
constexpr double kLeastMove = 3;  // of a drag; less is a click
constexpr int kLargeSteps = 10;

bool isExact(const QMouseEvent& event) {
  return (event.modifiers() & (Qt::ShiftModifier | Qt::AltModifier)) != 0;
}

double lengthOf(QPointF line) {
  return std::hypot(line.x(), line.y());
}

}  // namespace

std::optional<std::size_t> handleNear(const std::vector<ChartHandle>& handles, const ChartScale& scale, QPointF place) {
  std::optional<std::size_t> nearest;
  double least = kReach;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const QRectF line = QRectF(scale.pixel(handles[i].from), scale.pixel(handles[i].to)).normalized();
    const QPointF on(std::clamp(place.x(), line.left(), line.right()),
                     std::clamp(place.y(), line.top(), line.bottom()));
    const double toDot = lengthOf(place - scale.pixel(handles[i].at));
    const double away = std::min(toDot, lengthOf(place - on)) + 0.01 * toDot;
    if (away >= least) continue;
    least = away;
    nearest = i;
  }
  return nearest;
}

HandleLayer::HandleLayer(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMouseTracking(true);
}

void HandleLayer::setHandles(std::vector<ChartHandle> handles, std::vector<QPointF> course) {
  handles_ = std::move(handles);
  course_ = std::move(course);
  const auto focus = focused();
  while (dots_.size() > handles_.size()) {
    QWidget* dot = dots_.back();
    dots_.pop_back();
    dot->hide();
    dot->deleteLater();  // its key may have asked for this
  }
  while (dots_.size() < handles_.size()) {
    auto* dot = new QWidget(this);
    dot->setObjectName(QStringLiteral("chartHandle"));
    dot->setFocusPolicy(Qt::TabFocus);
    dot->setAttribute(Qt::WA_TransparentForMouseEvents);
    dot->installEventFilter(this);
    dot->show();
    setTabOrder(dots_.empty() ? this : dots_.back(), dot);
    dots_.push_back(dot);
  }
  if (focus && !dots_.empty()) dots_[std::min(*focus, dots_.size() - 1)]->setFocus();
  if (pointed_ >= handles_.size()) pointed_.reset();
  placeDots();
}

void HandleLayer::setScale(const ChartScale& scale) {
  scale_ = scale;
  placeDots();
}

void HandleLayer::placeDots() {
  for (std::size_t i = 0; i < dots_.size(); ++i) {
    QRectF place(0, 0, 2 * kReach, 2 * kReach);
    place.moveCenter(scale_.pixel(handles_[i].at));
    dots_[i]->setGeometry(place.toAlignedRect());
    dots_[i]->setAccessibleName(handles_[i].name);
    dots_[i]->setAccessibleDescription(handles_[i].value);
  }
  update();
}

std::optional<std::size_t> HandleLayer::focused() const {
  const auto found = std::ranges::find_if(dots_, &QWidget::hasFocus);
  return found == dots_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - dots_.begin()));
}

void HandleLayer::pointAt(std::optional<std::size_t> handle) {
  if (!handle)
    setCursor(Qt::ArrowCursor);
  else
    setCursor(handles_[*handle].moves == Qt::Horizontal ? Qt::SizeHorCursor : Qt::SizeVerCursor);
  pointed_ = handle ? handle : focused();
  update();
}

void HandleLayer::beginDrag(const Drag& drag) {
  drag_ = drag;
  pointAt(drag.handle);
  Q_EMIT dragBegun();
}

void HandleLayer::endDrag(bool keep) {
  if (!drag_) return;
  drag_.reset();
  Q_EMIT dragEnded(keep);
}

void HandleLayer::mousePressEvent(QMouseEvent* event) {
  const auto handle = handleNear(handles_, scale_, event->position());
  if (event->button() != Qt::LeftButton || !handle) return QWidget::mousePressEvent(event);
  endDrag(true);  // one by keys
  dots_[*handle]->setFocus(Qt::MouseFocusReason);
  beginDrag({*handle, handles_[*handle].at, event->globalPosition(), scale_.unit()});
}

/// From where it was pressed on the screen, as the chart may move meanwhile.
void HandleLayer::mouseMoveEvent(QMouseEvent* event) {
  if (!drag_ || drag_->byKeys) return pointAt(handleNear(handles_, scale_, event->position()));
  const QPointF by = event->globalPosition() - drag_->pressedAt;
  drag_->moved = drag_->moved || by.manhattanLength() >= kLeastMove;
  if (!drag_->moved) return;
  const QPointF to = drag_->from + QPointF(by.x() * drag_->unit.x(), -by.y() * drag_->unit.y());
  Q_EMIT requested({HandleRequest::Kind::Move, drag_->handle, to, isExact(*event)});
}

void HandleLayer::mouseReleaseEvent(QMouseEvent*) {
  if (drag_ && !drag_->byKeys) endDrag(true);
}

void HandleLayer::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mouseDoubleClickEvent(event);
  if (const auto handle = handleNear(handles_, scale_, event->position()))
    Q_EMIT requested({HandleRequest::Kind::Type, *handle, {}});
  else
    Q_EMIT requested({HandleRequest::Kind::Add, 0, scale_.value(event->position()), isExact(*event)});
}

/// Returns whether the key is one of a handle, and does what it is for when it is pressed. A key that is held is one
/// drag.
bool HandleLayer::pressKey(std::size_t handle, const QKeyEvent& event) {
  using Kind = HandleRequest::Kind;
  const bool isPressed = event.type() == QEvent::KeyPress, isHeld = isDragging();
  const int size = (event.modifiers() & Qt::ShiftModifier) != 0 ? kLargeSteps : 1;
  const auto step = [&](int steps) {
    if (isPressed && !isHeld) beginDrag({handle, {}, {}, {}, true});
    if (isPressed) Q_EMIT requested({Kind::Step, handle, {}, false, steps});
    return true;
  };
  const auto ask = [&](Kind kind) {
    if (isPressed) Q_EMIT requested({kind, handle, (handles_[handle].from + handles_[handle].to) / 2, true});
    return true;
  };
  switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Down: return step(-size);
    case Qt::Key_Right:
    case Qt::Key_Up: return step(size);
    case Qt::Key_Home: return step(-kToLimit);
    case Qt::Key_End: return step(kToLimit);
    case Qt::Key_Return:
    case Qt::Key_Enter: return ask(Kind::Type);
    case Qt::Key_Insert: return ask(Kind::Add);
    case Qt::Key_Delete: return ask(Kind::Remove);
    case Qt::Key_Escape:
      if (isPressed) endDrag(false);
      return isHeld;
    default: return false;
  }
}

bool HandleLayer::eventFilter(QObject* watched, QEvent* event) {
  const auto found = std::ranges::find(dots_, watched);
  if (found == dots_.end()) return false;
  const auto handle = static_cast<std::size_t>(found - dots_.begin());
  const auto* key = dynamic_cast<const QKeyEvent*>(event);
  switch (event->type()) {
    case QEvent::FocusIn: pointAt(handle); break;
    case QEvent::FocusOut:
      endDrag(true);
      pointAt(std::nullopt);
      break;
    case QEvent::KeyPress: return pressKey(handle, *key);
    case QEvent::KeyRelease:
      if (drag_ && drag_->byKeys && !key->isAutoRepeat() && key->key() != Qt::Key_Shift) endDrag(true);
      break;
    case QEvent::ShortcutOverride:
      if (pressKey(handle, *key)) event->accept();
      break;
    default: break;
  }
  return false;
}

void HandleLayer::paintEvent(QPaintEvent*) {
  const ThemeColors& colors = theme_.colors();
  const QPen accent(colors.accent, 1.75);
  const auto focus = focused();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(scale_.plot.adjusted(-kDot, -kDot, kDot, kDot));
  painter.setPen(accent);
  QPolygonF line;
  for (const QPointF& point : course_) line << scale_.pixel(point);
  painter.drawPolyline(line);
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    const bool isPointed = pointed_ == i;
    painter.setPen(QPen(colors.accent, 2.5));
    if (isPointed) painter.drawLine(scale_.pixel(handles_[i].from), scale_.pixel(handles_[i].to));
    painter.setPen(accent);
    painter.setBrush(focus == i ? colors.accent : colors.base);
    const double radius = (isPointed ? kDot : kDot - 3) / 2;
    painter.drawEllipse(scale_.pixel(handles_[i].at), radius, radius);
  }
  if (pointed_) paintLabel(painter, handles_[*pointed_]);
}

void HandleLayer::paintLabel(QPainter& painter, const ChartHandle& handle) {
  const ThemeColors& colors = theme_.colors();
  const QFontMetricsF metrics(theme_.smallFont());
  const QPointF at = scale_.pixel(handle.at);
  QRectF box(0, 0, metrics.horizontalAdvance(handle.value) + 8, metrics.height() + 4);
  box.moveCenter({at.x(), at.y() - box.height()});
  if (box.top() < 0) box.moveTop(at.y() + kDot);
  box.moveLeft(std::clamp(box.left(), 1.0, std::max(1.0, width() - box.width() - 1)));
  painter.setClipping(false);
  painter.setPen(colors.line);
  painter.setBrush(colors.raised);
  painter.drawRect(box);
  painter.setPen(colors.text);
  painter.setFont(theme_.smallFont());
  painter.drawText(box, Qt::AlignCenter, handle.value);
}

}  // namespace batchwise
