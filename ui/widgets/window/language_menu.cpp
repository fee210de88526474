// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/language_menu.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QActionGroup>
#include <QtWidgets/QMenu>

#include "ui/bridge/language.h"

namespace batchwise {
namespace {

struct LanguageMenu {
  Q_DECLARE_TR_FUNCTIONS(LanguageMenu)
};

}  // namespace

void addLanguageChoices(QMenu& menu, const QString& chosen, const std::function<void(const QString&)>& choose) {
  auto* languages = menu.addMenu(LanguageMenu::tr("La&nguage"));
  auto* group = new QActionGroup(languages);
  QList<Language::Choice> choices = Language::choices();
  choices.prepend({QStringLiteral("system"), LanguageMenu::tr("&System", "language of the desktop")});
  for (const Language::Choice& choice : choices) {
    auto* action = languages->addAction(choice.nativeName);
    action->setCheckable(true);
    action->setChecked(choice.name == chosen);
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, languages, [choose, name = choice.name] { choose(name); });
  }
}

}  // namespace batchwise
