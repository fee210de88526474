// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QHash>
#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <QtCore/QSize>
#include <QtCore/QString>
#include <QtCore/Qt>
#include <QtGui/QColor>
#include <QtGui/QFont>
#include <QtGui/QIcon>
#include <QtGui/QPalette>
#include <QtGui/QPixmap>

class QDBusVariant;
class QWidget;

namespace batchwise {

class ScaledStyle;

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

/// Color on a light or dark `ground` and pen style of series `index`, from 0. Eight colors that color-blind people can
/// tell apart (see seriesStyle() in core/analysis); from index 8 they repeat, dashed.
QColor seriesColor(int index, const QColor& ground = Qt::white);
Qt::PenStyle seriesPenStyle(int index);

/// Contrast ratio of two opaque colors, 1 to 21. Source: WCAG 2.1, definitions of contrast ratio and relative
/// luminance.
double contrastRatio(const QColor& first, const QColor& second);

/// Palette for Qt's Fusion style.
QPalette widgetPalette(const ThemeColors& colors);

/// Returns the SVG source resources/icons/NAME.svg with `currentColor` replaced; empty if there is no such icon.
QByteArray iconSource(const QString& name, const QColor& color);

/// Renders one icon at a size in device pixels; transparent if there is no such icon.
QPixmap iconPixmap(const QString& name, const QColor& color, QSize pixels);

/// Renders the icon in sizes from 16 to 64 pixels, with `disabled` as the color of QIcon::Disabled.
QIcon makeIcon(const QString& name, const QColor& color, const QColor& disabled);

enum class Appearance { System, Light, Dark };

/// Role of a text; the style sheet maps it to size, weight and color.
enum class TextLook { Body, Heading, Title, Muted, Small, Warning, Bad };

/// Style, palette, font and icons of the application; may change at run time. One per QApplication, passed to every
/// widget that paints itself. GUI thread only.
class Theme final : public QObject {
  Q_OBJECT

 public:
  /// Records the system's colors and font; apply() installs ours.
  explicit Theme(QObject* parent = nullptr);
  /// For what is painted otherwise than the window; leaves the application and the desktop alone.
  explicit Theme(Appearance appearance);

  /// Sets style, palette, font and style sheet of the application. Emits changed().
  void apply();
  void setAppearance(Appearance appearance);
  Appearance appearance() const { return appearance_; }
  /// 1.0 is the system's font size; clamped to [0.5, 3].
  void setTextScale(double scale);

  ColorScheme colorScheme() const;
  const ThemeColors& colors() const { return themeColors(colorScheme()); }
  /// Body font, and the same at 0.87 of its size.
  QFont bodyFont() const;
  QFont smallFont() const;

  /// Returns icon `name` of resources/icons (without ".svg"), in the text color unless `color` is given.
  QIcon icon(const QString& name) const { return icon(name, colors().text); }
  QIcon icon(const QString& name, const QColor& color) const;

  /// Marks a label or button for the style sheet.
  static void setLook(QWidget* widget, TextLook look);
  /// Styles the primary button of a page.
  static void setPrimary(QWidget* button);
  /// Sets whether a label stands out, as the one that was searched for.
  static void setMarked(QWidget* label, bool on);
  /// Styles a panel: raised background, thin border.
  static void setCard(QWidget* panel);

 Q_SIGNALS:
  void changed();

 private Q_SLOTS:
  /// SettingChanged of org.freedesktop.portal.Settings.
  void onPortalSetting(const QString& space, const QString& key, const QDBusVariant& value);

 private:
  QString styleSheet() const;
  void watchDesktop();
  void setSystemScheme(ColorScheme colorScheme);

  Appearance appearance_ = Appearance::System;
  ColorScheme systemScheme_ = ColorScheme::Light;
  QFont systemFont_;
  double textScale_ = 1.0;
  QPointer<ScaledStyle> style_;          // of the application, which owns it
  mutable QHash<QString, QIcon> icons_;  // cache, by name and color
};

}  // namespace batchwise
