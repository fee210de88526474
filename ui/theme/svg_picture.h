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
  int dpi = 300;  ///< used for .png only
};
/// Sizes offered to the user: column of a paper, page, slide.
inline constexpr std::array kPictureSizes = {PictureSize{8.5, 6}, PictureSize{16, 9}, PictureSize{24, 13.5}};

struct DrawnPicture {
  QByteArray bytes;
  QString problem;  ///< empty on success
};
/// Renders an SVG document to the bytes of an image file: .pdf or .png by the suffix of `file`; any other suffix gets
/// the SVG itself. The texts of a PDF are text. PDF and PNG metadata name Batchwise as generator. Fails for a PNG of
/// more than 100 million pixels. Needs no display.
DrawnPicture drawSvgPicture(const QByteArray& svg, const QString& file, const PictureSize& size);

/// Records what `paint` draws as an SVG document of `size` that names Batchwise as its generator. `paint` gets the area
/// in pixels at 96 dpi.
QByteArray recordSvg(const PictureSize& size, const std::function<void(QPainter&, QSizeF)>& paint);

}  // namespace batchwise
