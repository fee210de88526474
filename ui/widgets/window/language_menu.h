// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <functional>

class QMenu;

namespace batchwise {

/// Adds a submenu with the languages of the window, each in its own name, and "system", that of the desktop. `chosen`
/// is the present choice; `choose` gets the new one.
void addLanguageChoices(QMenu& menu, const QString& chosen, const std::function<void(const QString&)>& choose);

}  // namespace batchwise
