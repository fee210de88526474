// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QPointF>
#include <QtCore/QSizeF>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QFont>
#include <QtGui/QTransform>
#include <array>
#include <functional>
#include <vector>

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
/// more than 100 million pixels. Needs no display. Thread-safe.
DrawnPicture drawSvgPicture(const QByteArray& svg, const QString& file, const PictureSize& size);

/// Records what `paint` draws as an SVG document of `size` that names Batchwise as its generator. `paint` gets the area
/// in pixels at 96 dpi.
QByteArray recordSvg(const PictureSize& size, const std::function<void(QPainter&, QSizeF)>& paint);

/// A text element of an SVG document.
struct SvgText {
  QString text;
  QPointF at;            ///< on the baseline
  QTransform transform;  ///< of the groups around it
  double size = 12;      ///< of the font, in units of the document
  QStringList families;
  int weight = QFont::Normal;
  QColor color;
  double anchor = 0;  ///< part of the width that is left of `at`: 0, 0.5 or 1
};

/// Takes the text elements out of an SVG document and returns them. Of transforms it knows `matrix`, which is what
/// QSvgGenerator writes.
std::vector<SvgText> takeTexts(QByteArray& svg);

/// Draws them as text, which can be searched and copied where the device is a document. `scale`: pixels of the device
/// per unit.
void drawTexts(QPainter& painter, const std::vector<SvgText>& texts, double scale);

}  // namespace batchwise
