// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/widgets/parts/dialogs.h"

class QMenu;

namespace batchwise {

class StudioSettings;
class Theme;

// Choices of how the window looks, for menus and the preferences. Each is stored. `theme` and `settings` must outlive
// them.

/// System, light, dark; takes effect at once.
std::vector<MenuChoice> appearanceChoices(Theme& theme, StudioSettings& settings);
/// Percentages of the system's font size; takes effect at once.
std::vector<MenuChoice> textSizeChoices(Theme& theme, StudioSettings& settings);

/// Adds a submenu with the appearances, filled whenever it opens.
void addAppearanceMenu(QMenu& menu, Theme& theme, StudioSettings& settings);

}  // namespace batchwise
