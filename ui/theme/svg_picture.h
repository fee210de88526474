// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QString>

namespace batchwise {

struct PictureSize {
  double widthCm = 16;
  double heightCm = 9;
  int dpi = 300;  ///< of a .png
};

/// Draws an SVG document into `file` at a size: .pdf or .png by the end of the name, anything else gets the document
/// itself. The file appears complete or not at all. Returns what went wrong, empty if nothing did. Needs no display.
QString writeSvgPicture(const QByteArray& svg, const QString& file, const PictureSize& size);

}  // namespace batchwise
