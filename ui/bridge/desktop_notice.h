// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

namespace batchwise {

/// Shows a notification of the desktop (org.freedesktop.Notifications), if it has one; the texts are shown as they are.
/// Returns at once. GUI thread.
void showDesktopNotice(const QString& title, const QString& text);

/// Shows a number at the program's icon where the desktop can (com.canonical.Unity.LauncherEntry); 0: none.
void showDesktopBadge(int count);

}  // namespace batchwise
