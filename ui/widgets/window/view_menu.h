// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

class QMenu;

namespace batchwise {

class StudioSettings;
class Theme;

/// Adds submenus for colors and text size; a choice takes effect at once and is stored. `theme` and `settings` must
/// outlive `menu`.
void addAppearanceChoices(QMenu& menu, Theme& theme, StudioSettings& settings);

/// Adds a submenu with the languages of the window, each in its own name, and "system", that of the desktop. A choice
/// is stored for the next start; `changed` is called if it differs from the one before.
void addLanguageChoices(QMenu& menu, StudioSettings& settings, const std::function<void()>& changed);

}  // namespace batchwise
