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

/// Draws an SVG document into `file` at a size: .pdf or .png by the end of the name, anything else gets the document
/// itself. The file appears complete or not at all. Returns what went wrong, empty if nothing did. Needs no display.
QString writeSvgPicture(const QByteArray& svg, const QString& file, const PictureSize& size);

/// What `paint` paints on an area of `size`, in centimetres at 96 dots per inch, as an SVG document. The area in those
/// dots is handed to it.
QByteArray paintedSvg(const PictureSize& size, const std::function<void(QPainter&, QSizeF)>& paint);

}  // namespace batchwise
