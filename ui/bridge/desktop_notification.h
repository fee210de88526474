// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

namespace batchwise {

/// Shows a desktop notification (org.freedesktop.Notifications) if there is such a service; texts are plain, not
/// markup. Does not block. GUI thread.
void showDesktopNotification(const QString& title, const QString& text);

/// Shows a count on the application icon where the desktop supports it (com.canonical.Unity.LauncherEntry); 0 removes
/// it.
void showDesktopBadge(int count);

}  // namespace batchwise
