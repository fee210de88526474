// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QSize>
#include <QtGui/QImage>
#include <span>
#include <vector>

class QPainter;
class QPen;

namespace batchwise {

/// Picture of lines. Points have ascending x, in its pixels; a NaN interrupts a line. Its columns are stored one after
/// the other: such a line covers a single interval of each vertical, so it takes a small part of the time that QPainter
/// needs for any path.
class LineRaster {
 public:
  /// Begins a transparent picture. To be called first; memory is kept from picture to picture.
  void clear(QSize size);
  /// Paints a line with a solid pen over what is there. Both ends of each segment are square.
  void stroke(std::span<const QPointF> points, const QPen& pen);
  /// The same for a line with more points than columns, as one bar per column. Neighboring bars meet halfway between
  /// their last and first point. The gaps of a dashed line keep its spikes.
  void fillColumns(std::span<const QPointF> points, const QPen& pen);
  void paint(QPainter& painter, const QRectF& place);

 private:
  std::vector<QRgb> columns_;
  QImage rows_;  // what is painted, of the same size
};

}  // namespace batchwise
