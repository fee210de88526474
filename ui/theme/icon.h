// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QSize>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QIcon>
#include <QtGui/QPixmap>

namespace batchwise {

/// The drawing of resources/icons/NAME.svg with `currentColor` replaced. Empty if there is no such icon.
QByteArray iconSource(const QString& name, const QColor& color);

/// One icon at one size in device pixels. Transparent if there is no such icon.
QPixmap iconPixmap(const QString& name, const QColor& color, QSize pixels);

/// The icon at all usual sizes, greyed where disabled.
QIcon makeIcon(const QString& name, const QColor& color, const QColor& disabled);

}  // namespace batchwise
