// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/appearance_menu.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QActionGroup>
#include <QtWidgets/QMenu>
#include <functional>

#include "ui/bridge/studio_settings.h"
#include "ui/theme/theme.h"

namespace batchwise {
namespace {

struct AppearanceMenu {
  Q_DECLARE_TR_FUNCTIONS(AppearanceMenu)
};

/// Adds one of several mutually exclusive choices.
void addChoice(QMenu& menu, QActionGroup& group, const QString& text, bool checked, std::function<void()> choose) {
  auto* action = menu.addAction(text);
  action->setCheckable(true);
  action->setChecked(checked);
  group.addAction(action);
  QObject::connect(action, &QAction::triggered, &menu, std::move(choose));
}

void addColors(QMenu& menu, Theme& theme, StudioSettings& settings) {
  struct Choice {
    QString text;
    QString name;
    Appearance appearance;
  };
  const std::initializer_list<Choice> choices = {
      {AppearanceMenu::tr("&System"), QStringLiteral("system"), Appearance::System},
      {AppearanceMenu::tr("&Light"), QStringLiteral("light"), Appearance::Light},
      {AppearanceMenu::tr("&Dark"), QStringLiteral("dark"), Appearance::Dark}};
  auto* group = new QActionGroup(&menu);
  for (const Choice& choice : choices) {
    addChoice(menu, *group, choice.text, theme.appearance() == choice.appearance, [choice, &theme, &settings] {
      settings.setAppearance(choice.name);
      theme.setAppearance(choice.appearance);
    });
  }
}

void addSizes(QMenu& menu, Theme& theme, StudioSettings& settings) {
  auto* group = new QActionGroup(&menu);
  for (const int percent : {100, 125, 150, 200}) {
    addChoice(menu, *group, AppearanceMenu::tr("%1 %").arg(percent), settings.textPercent() == percent,
              [percent, &theme, &settings] {
                settings.setTextPercent(percent);
                theme.setTextScale(percent / 100.0);
              });
  }
}

}  // namespace

void addAppearanceChoices(QMenu& menu, Theme& theme, StudioSettings& settings) {
  addColors(*menu.addMenu(AppearanceMenu::tr("&Appearance")), theme, settings);
  addSizes(*menu.addMenu(AppearanceMenu::tr("&Text size")), theme, settings);
}

}  // namespace batchwise
