// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/language.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QLibraryInfo>
#include <QtCore/QLocale>
#include <algorithm>

namespace batchwise {

QList<Language::Choice> Language::choices() {
  return {{QStringLiteral("en"), QStringLiteral("English")}, {QStringLiteral("de"), QStringLiteral("Deutsch")}};
}

Language::~Language() {
  remove();
}

void Language::remove() {
  for (QTranslator& translator : translators_) QCoreApplication::removeTranslator(&translator);
}

void Language::setLanguage(const QString& wanted) {
  const QString asked = wanted == QLatin1String("system") ? QLocale::system().name().left(2) : wanted;
  const auto known = choices();
  const bool has = std::any_of(known.begin(), known.end(), [&](const Choice& choice) { return choice.name == asked; });
  const QString name = has ? asked : QStringLiteral("en");
  if (name == name_) return;
  remove();
  name_ = name;
  QLocale::setDefault(name == QLatin1String("de") ? QLocale(QLocale::German) : QLocale::system());
  const QString files[] = {QLibraryInfo::path(QLibraryInfo::TranslationsPath) + QStringLiteral("/qtbase_"),
                           QStringLiteral(":/i18n/batchwise_fields_"), QStringLiteral(":/i18n/batchwise_messages_"),
                           QStringLiteral(":/i18n/batchwise_")};
  static_assert(std::size(files) == std::tuple_size_v<decltype(translators_)>);
  for (std::size_t i = 0; i < translators_.size(); ++i)
    if (translators_[i].load(files[i] + name)) QCoreApplication::installTranslator(&translators_[i]);
}

}  // namespace batchwise
