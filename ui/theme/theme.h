// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QHash>
#include <QtCore/QObject>
#include <QtGui/QColor>
#include <QtGui/QFont>
#include <QtGui/QIcon>

#include "ui/theme/palette.h"

class QDBusVariant;
class QWidget;

namespace batchwise {

enum class Appearance { System, Light, Dark };

/// What a piece of text is; the style sheet gives each its size, weight and colour.
enum class TextLook { Body, Heading, Muted, Small, Good, Warning, Bad };

/// Gives the application its look, and changes it while it runs. One per QApplication, handed to every widget that
/// draws by itself. GUI thread only.
class Theme final : public QObject {
  Q_OBJECT

 public:
  /// Remembers the system's colours and font; apply() makes ours take effect.
  explicit Theme(QObject* parent = nullptr);

  /// Style, palette, font and style sheet of the application. Tells changed().
  void apply();
  void setAppearance(Appearance appearance);
  Appearance appearance() const { return appearance_; }
  /// 1.0 is the system's font size; 0.5 to 3.
  void setTextScale(double scale);

  Ground ground() const;
  const ThemeColors& colors() const { return themeColors(ground()); }
  /// The body font, and 0.87 of it.
  QFont bodyFont() const;
  QFont smallFont() const;

  /// An icon of resources/icons, without its ".svg", in the colour of text.
  QIcon icon(const QString& name) const;
  QIcon icon(const QString& name, const QColor& color) const;

  /// Marks a label or button for the style sheet.
  static void setLook(QWidget* widget, TextLook look);
  /// The one button of a page that goes forward.
  static void setPrimary(QWidget* button);
  /// A panel on the raised ground with a thin line around it.
  static void setCard(QWidget* panel);

 Q_SIGNALS:
  void changed();

 private Q_SLOTS:
  /// The desktop portal's word on its settings.
  void onPortalSetting(const QString& space, const QString& key, const QDBusVariant& value);

 private:
  QString styleSheet() const;
  void watchDesktop();
  void setSystemGround(Ground ground);

  Appearance appearance_ = Appearance::System;
  Ground systemGround_ = Ground::Light;
  QFont systemFont_;
  double textScale_ = 1.0;
  mutable QHash<QString, QIcon> icons_;  // drawn so far, by name and colour
};

}  // namespace batchwise
