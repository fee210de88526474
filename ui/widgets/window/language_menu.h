// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <functional>

class QMenu;

namespace batchwise {

/// Adds a menu with the languages of the window, each called what its speakers call it; `chosen` is the one in use, or
/// "system".
void addLanguageChoices(QMenu& menu, const QString& chosen, const std::function<void(const QString&)>& choose);

}  // namespace batchwise
