// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icon.h"

#include <QtCore/QFile>
#include <QtGui/QPainter>
#include <QtSvg/QSvgRenderer>

namespace batchwise {

QByteArray iconSource(const QString& name, const QColor& color) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return file.readAll().replace("currentColor", color.name().toLatin1());
}

QPixmap iconPixmap(const QString& name, const QColor& color, QSize pixels) {
  QPixmap pixmap(pixels);
  pixmap.fill(Qt::transparent);
  QSvgRenderer renderer(iconSource(name, color));
  if (!renderer.isValid()) return pixmap;
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
}

QIcon makeIcon(const QString& name, const QColor& color, const QColor& disabled) {
  QIcon icon;
  for (const int size : {16, 20, 24, 32, 48, 64}) {
    icon.addPixmap(iconPixmap(name, color, {size, size}));
    icon.addPixmap(iconPixmap(name, disabled, {size, size}), QIcon::Disabled);
  }
  return icon;
}

}  // namespace batchwise
