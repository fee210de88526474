// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMenu;

namespace batchwise {

class StudioSettings;
class Theme;

/// Adds the choices of colours and of text size to a menu; each takes effect at once and is remembered. All three must
/// outlive the menu.
void addAppearanceChoices(QMenu& menu, Theme& theme, StudioSettings& settings);

}  // namespace batchwise
