// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QSize>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QIcon>
#include <QtGui/QPixmap>

namespace batchwise {

/// Returns the SVG source resources/icons/NAME.svg with `currentColor` replaced; empty if there is no such icon.
QByteArray iconSource(const QString& name, const QColor& color);

/// Renders one icon at a size in device pixels; transparent if there is no such icon.
QPixmap iconPixmap(const QString& name, const QColor& color, QSize pixels);

/// Renders the icon in sizes from 16 to 64 pixels, with `disabled` as the color of QIcon::Disabled.
QIcon makeIcon(const QString& name, const QColor& color, const QColor& disabled);

}  // namespace batchwise
