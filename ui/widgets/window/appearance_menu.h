// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMenu;

namespace batchwise {

class StudioSettings;
class Theme;

/// Adds submenus for colors and text size; a choice takes effect at once and is stored. `theme` and `settings` must
/// outlive `menu`.
void addAppearanceChoices(QMenu& menu, Theme& theme, StudioSettings& settings);

}  // namespace batchwise
