// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/view_menu.h"

#include <QtCore/QCoreApplication>
#include <QtWidgets/QMenu>

#include "ui/bridge/language.h"
#include "ui/bridge/studio_settings.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/dialogs.h"

namespace batchwise {
namespace {

struct ViewMenu {
  Q_DECLARE_TR_FUNCTIONS(ViewMenu)
};

}  // namespace

void addAppearanceChoices(QMenu& menu, Theme& theme, StudioSettings& settings) {
  const auto colors = [&](const QString& text, const QString& name, Appearance appearance) {
    return MenuChoice{text, theme.appearance() == appearance, [name, appearance, &theme, &settings] {
                        settings.setAppearance(name);
                        theme.setAppearance(appearance);
                      }};
  };
  addChoices(*menu.addMenu(ViewMenu::tr("&Appearance")),
             {colors(ViewMenu::tr("&System"), QStringLiteral("system"), Appearance::System),
              colors(ViewMenu::tr("&Light"), QStringLiteral("light"), Appearance::Light),
              colors(ViewMenu::tr("&Dark"), QStringLiteral("dark"), Appearance::Dark)});
  std::vector<MenuChoice> sizes;
  for (const int percent : {100, 125, 150, 200})
    sizes.push_back(
        {ViewMenu::tr("%1 %").arg(percent), settings.textPercent() == percent, [percent, &theme, &settings] {
           settings.setTextPercent(percent);
           theme.setTextScale(percent / 100.0);
         }});
  addChoices(*menu.addMenu(ViewMenu::tr("&Text size")), sizes);
}

void addLanguageChoices(QMenu& menu, StudioSettings& settings, const std::function<void()>& changed) {
  QList<Language::Choice> languages = Language::choices();
  languages.prepend({QStringLiteral("system"), ViewMenu::tr("&System", "language of the desktop")});
  std::vector<MenuChoice> choices;
  for (const Language::Choice& language : languages)
    choices.push_back(
        {language.nativeName, language.name == settings.language(), [name = language.name, &settings, changed] {
           if (name == settings.language()) return;
           settings.setLanguage(name);
           changed();
         }});
  addChoices(*menu.addMenu(ViewMenu::tr("La&nguage")), choices);
}

}  // namespace batchwise
