// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

namespace batchwise {

// The entry of the window in the desktop's menu of applications, its icon, and the kind of the archives of runs, below
// a folder such as ~/.local/share (XDG Base Directory Specification), for a window that no distribution has put there.

/// Returns $XDG_DATA_HOME, or ~/.local/share.
QString userDataFolder();
/// Returns what starts this window: the command of the package that it is in, or its own file.
QString windowCommand();

bool isInApplicationsMenu(const QString& dataFolder);
/// Writes the files, and tells the desktop; `command` is the file that the entry starts. Returns an empty text, or what
/// could not be written and why.
QString addToApplicationsMenu(const QString& dataFolder, const QString& command);
/// Removes the files, and tells the desktop. Returns an empty text, or what could not be removed.
QString removeFromApplicationsMenu(const QString& dataFolder);

}  // namespace batchwise
