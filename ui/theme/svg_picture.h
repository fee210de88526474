// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QSizeF>
#include <QtCore/QString>
#include <array>
#include <functional>

class QPainter;

namespace batchwise {

struct PictureSize {
  double widthCm = 16;
  double heightCm = 9;
  int dpi = 300;  ///< of a .png
};
/// That are offered: a column of a paper, a page, a slide.
inline constexpr std::array kPictureSizes = {PictureSize{8.5, 6}, PictureSize{16, 9}, PictureSize{24, 13.5}};

struct DrawnPicture {
  QByteArray bytes;
  QString problem;  ///< empty: there is none
};
/// The bytes of a picture file that shows an SVG document at a size: .pdf or .png by the end of `file`, anything else
/// is the document itself. All name Batchwise as their generator. Needs no display.
DrawnPicture drawSvgPicture(const QByteArray& svg, const QString& file, const PictureSize& size);

/// What `paint` paints on an area of `size`, in centimetres at 96 dots per inch, as an SVG document that names
/// Batchwise as its generator. The area in those dots is handed to it.
QByteArray paintedSvg(const PictureSize& size, const std::function<void(QPainter&, QSizeF)>& paint);

}  // namespace batchwise
