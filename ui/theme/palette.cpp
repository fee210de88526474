// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/palette.h"

#include <array>
#include <cmath>

namespace batchwise {
namespace {

constexpr std::array<QRgb, 8> kSeries = {0xff2f6fde, 0xffd9730d, 0xff1e9e77, 0xffc43c8a,
                                         0xff2b95c3, 0xff9a7047, 0xff7a5ad6, 0xff7d8590};

ThemeColors lightColors() {
  ThemeColors c;
  c.window = QColor(0xF5F6F8);
  c.base = QColor(0xFFFFFF);
  c.raised = QColor(0xFFFFFF);
  c.line = QColor(0xDADDE3);
  c.text = QColor(0x1A1D23);
  c.muted = QColor(0x5B6472);
  c.disabled = QColor(0x9AA2AE);
  c.accent = QColor(0x1F5FBF);
  c.onAccent = QColor(0xFFFFFF);
  c.good = QColor(0x1B7F4B);
  c.warning = QColor(0x9A6200);
  c.bad = QColor(0xB3261E);
  return c;
}

ThemeColors darkColors() {
  ThemeColors c;
  c.window = QColor(0x1B1D22);
  c.base = QColor(0x22252B);
  c.raised = QColor(0x2A2E35);
  c.line = QColor(0x3A3F48);
  c.text = QColor(0xE7E9ED);
  c.muted = QColor(0xA3ABB8);
  c.disabled = QColor(0x6C7480);
  c.accent = QColor(0x6EA8FE);
  c.onAccent = QColor(0x14171C);
  c.good = QColor(0x5CC58F);
  c.warning = QColor(0xE0A93B);
  c.bad = QColor(0xFF8A80);
  return c;
}

double linearChannel(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
  return 0.2126 * linearChannel(color.redF()) + 0.7152 * linearChannel(color.greenF()) +
         0.0722 * linearChannel(color.blueF());
}

}  // namespace

const ThemeColors& themeColors(ColorScheme colorScheme) {
  static const ThemeColors light = lightColors();
  static const ThemeColors dark = darkColors();
  return colorScheme == ColorScheme::Light ? light : dark;
}

QColor seriesColor(int index) {
  return QColor(kSeries[static_cast<std::size_t>(index) % kSeries.size()]);
}

Qt::PenStyle seriesPenStyle(int index) {
  return index < static_cast<int>(kSeries.size()) ? Qt::SolidLine : Qt::DashLine;
}

double contrastRatio(const QColor& first, const QColor& second) {
  const double a = luminance(first);
  const double b = luminance(second);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

QPalette widgetPalette(const ThemeColors& c) {
  QPalette palette(c.text, c.window, c.raised, c.line, c.muted, c.text, c.base);
  palette.setColor(QPalette::Window, c.window);
  palette.setColor(QPalette::WindowText, c.text);
  palette.setColor(QPalette::Base, c.base);
  palette.setColor(QPalette::AlternateBase, c.window);
  palette.setColor(QPalette::Text, c.text);
  palette.setColor(QPalette::Button, c.raised);
  palette.setColor(QPalette::ButtonText, c.text);
  palette.setColor(QPalette::BrightText, c.bad);
  palette.setColor(QPalette::ToolTipBase, c.raised);
  palette.setColor(QPalette::ToolTipText, c.text);
  palette.setColor(QPalette::PlaceholderText, c.muted);
  palette.setColor(QPalette::Highlight, c.accent);
  palette.setColor(QPalette::HighlightedText, c.onAccent);
  palette.setColor(QPalette::Link, c.accent);
  palette.setColor(QPalette::LinkVisited, c.accent);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
    palette.setColor(QPalette::Disabled, role, c.disabled);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, c.line);
  return palette;
}

}  // namespace batchwise
