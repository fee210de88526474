// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/view_menu.h"

#include <QtCore/QCoreApplication>
#include <QtWidgets/QMenu>
#include <set>

#include "ui/bridge/studio_settings.h"
#include "ui/theme/theme.h"

namespace batchwise {
namespace {

struct ViewMenu {
  Q_DECLARE_TR_FUNCTIONS(ViewMenu)
};

}  // namespace

std::vector<MenuChoice> appearanceChoices(Theme& theme, StudioSettings& settings) {
  const auto choice = [&](const QString& text, const QString& name, Appearance appearance) {
    return MenuChoice{text, theme.appearance() == appearance, [name, appearance, &theme, &settings] {
                        settings.setAppearance(name);
                        theme.setAppearance(appearance);
                      }};
  };
  return {choice(ViewMenu::tr("System"), QStringLiteral("system"), Appearance::System),
          choice(ViewMenu::tr("Light"), QStringLiteral("light"), Appearance::Light),
          choice(ViewMenu::tr("Dark"), QStringLiteral("dark"), Appearance::Dark)};
}

std::vector<MenuChoice> textSizeChoices(Theme& theme, StudioSettings& settings) {
  std::set<int> percents = {80, 90, 100, 110, 125, 150, 175, 200};
  percents.insert(settings.textPercent());  // may be any number in the settings file
  std::vector<MenuChoice> choices;
  for (const int percent : percents)
    choices.push_back(
        {ViewMenu::tr("%1 %").arg(percent), settings.textPercent() == percent, [percent, &theme, &settings] {
           settings.setTextPercent(percent);
           theme.setTextScale(percent / 100.0);
         }});
  return choices;
}

void addAppearanceMenu(QMenu& menu, Theme& theme, StudioSettings& settings) {
  QMenu* appearance = menu.addMenu(ViewMenu::tr("&Appearance"));
  QObject::connect(appearance, &QMenu::aboutToShow, appearance, [appearance, &theme, &settings] {
    appearance->clear();
    addChoices(*appearance, appearanceChoices(theme, settings));
  });
  addChoices(*appearance, appearanceChoices(theme, settings));  // a menu without entries is not opened
}

}  // namespace batchwise
