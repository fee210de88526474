// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/switch_box.h"

#include <QtGui/QFontMetrics>
#include <QtGui/QPainter>
#include <algorithm>

namespace batchwise {
namespace {

constexpr int kRingRoom = 3;  // room for the focus ring
constexpr int kWordGap = 8;

QString stateWord(Qt::CheckState state) {
  if (state == Qt::PartiallyChecked) return SwitchBox::tr("On and off");
  return state == Qt::Checked ? SwitchBox::tr("On") : SwitchBox::tr("Off");
}

}  // namespace

SwitchBox::SwitchBox(QWidget* parent) : QCheckBox(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QRectF SwitchBox::track() const {
  const double high = fontMetrics().height() - 2;
  return {kRingRoom + 0.5, (height() - high) / 2.0, high * 1.8, high};
}

QSize SwitchBox::sizeHint() const {
  int widest = 0;
  for (const Qt::CheckState state : {Qt::Checked, Qt::Unchecked, Qt::PartiallyChecked})
    widest = std::max(widest, fontMetrics().horizontalAdvance(stateWord(state)));
  return {static_cast<int>(track().right()) + kWordGap + widest + kRingRoom, fontMetrics().height() + 2 * kRingRoom};
}

void SwitchBox::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QPalette::ColorGroup group = isEnabled() ? QPalette::Active : QPalette::Disabled;
  const auto color = [&](QPalette::ColorRole role) { return palette().color(group, role); };
  const QRectF rail = track();
  const double radius = rail.height() / 2;
  if (hasFocus()) {
    painter.setPen(QPen(color(QPalette::WindowText), 1.5));
    painter.drawRoundedRect(rail.adjusted(-2.5, -2.5, 2.5, 2.5), radius + 2.5, radius + 2.5);
  }
  const bool on = checkState() == Qt::Checked;
  painter.setPen(QPen(color(on ? QPalette::Highlight : QPalette::PlaceholderText), 1.5));
  painter.setBrush(color(on ? QPalette::Highlight : QPalette::Base));
  painter.drawRoundedRect(rail, radius, radius);
  const double share = checkState() == Qt::PartiallyChecked ? 0.5 : on ? 1.0 : 0.0;
  const QPointF knob(rail.left() + radius + share * (rail.width() - 2 * radius), rail.center().y());
  painter.setPen(Qt::NoPen);
  painter.setBrush(color(on ? QPalette::HighlightedText : QPalette::PlaceholderText));
  painter.drawEllipse(knob, radius - 3, radius - 3);
  painter.setPen(color(QPalette::WindowText));
  painter.drawText(rect().adjusted(static_cast<int>(rail.right()) + kWordGap, 0, 0, 0),
                   Qt::AlignLeft | Qt::AlignVCenter, stateWord(checkState()));
}

}  // namespace batchwise
