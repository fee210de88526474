// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/Qt>
#include <QtGui/QColor>
#include <QtGui/QPalette>

namespace batchwise {

/// Light or dark background. Exports are always light.
enum class ColorScheme { Light, Dark };

/// Colors of the window, other than series colors. Text on `window`, `base` and `raised`, and `onAccent` on `accent`,
/// have a contrast ratio of at least 4.5; `disabled` is exempt.
struct ThemeColors {
  QColor window, base, raised, line;
  QColor text, muted, disabled;
  QColor accent, onAccent;
  QColor good, warning, bad;
};

const ThemeColors& themeColors(ColorScheme colorScheme);

/// Color and pen style of series `index`, from 0. Eight colors that color-blind people can tell apart, on either
/// background; from index 8 they repeat, dashed.
QColor seriesColor(int index);
Qt::PenStyle seriesPenStyle(int index);

/// Contrast ratio of two opaque colors, 1 to 21. Source: WCAG 2.1, definitions of contrast ratio and relative
/// luminance.
double contrastRatio(const QColor& first, const QColor& second);

/// Palette for Qt's Fusion style.
QPalette widgetPalette(const ThemeColors& colors);

}  // namespace batchwise
