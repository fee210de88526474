// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/Qt>
#include <QtGui/QColor>
#include <QtGui/QPalette>

namespace batchwise {

/// The two grounds on which everything is drawn. Exports are always light.
enum class Ground { Light, Dark };

/// Every colour that the window uses besides the colours of series. Text on `window`, `base` and `raised`, and
/// `onAccent` on `accent`, have a contrast of at least 4.5 to 1; `disabled` is exempt.
struct ThemeColors {
  QColor window, base, raised, line;
  QColor text, muted, disabled;
  QColor accent, onAccent;
  QColor good, warning, bad;
};

const ThemeColors& themeColors(Ground ground);

/// Colour and dash of the series `index`, counted from 0. Eight colours that colour-blind people can tell apart and
/// both grounds can carry; from the ninth on the same ones, dashed.
QColor seriesColor(int index);
Qt::PenStyle seriesPenStyle(int index);

/// Contrast ratio of two opaque colours, 1 to 21. Source: WCAG 2.1, definitions of contrast ratio and relative
/// luminance.
double contrastRatio(const QColor& first, const QColor& second);

/// The palette for Qt's Fusion style.
QPalette widgetPalette(const ThemeColors& colors);

}  // namespace batchwise
