// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QSizeF>
#include <QtCore/QString>
#include <QtGui/QPicture>
#include <array>
#include <functional>

namespace batchwise {

struct PictureSize {
  double widthCm = 16;
  double heightCm = 9;
  int dpi = 300;  ///< used for .png only
};
/// Sizes offered to the user: column of a paper, page, slide.
inline constexpr std::array kPictureSizes = {PictureSize{8.5, 6}, PictureSize{16, 9}, PictureSize{24, 13.5}};

/// Records what `paint` draws in a picture of `size`. `paint` gets the area in pixels of the screen.
QPicture recordPicture(const PictureSize& size, const std::function<void(QPainter&, QSizeF)>& paint);

struct DrawnPicture {
  QByteArray bytes;
  QString problem;  ///< empty on success
};
/// Draws a recorded picture as the bytes of an image file: .pdf or .png by the suffix of `file`, and SVG for any other.
/// The texts of SVG and PDF are text. Each names Batchwise as generator. Fails for a PNG of more than 100 million
/// pixels. Needs no display. Thread-safe, for one call at a time per picture.
DrawnPicture drawPicture(const QPicture& picture, const QString& file, const PictureSize& size);

}  // namespace batchwise
