// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;
class QToolButton;
class QWidget;

namespace batchwise {

/// Returns a frameless tool button for an icon. `name` is its tooltip and accessible name; `parent` owns it.
QToolButton* flatButton(QWidget* parent, const QString& name);

}  // namespace batchwise
