// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QPointF>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QFont>
#include <QtGui/QTransform>
#include <vector>

class QPainter;

namespace batchwise {

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
