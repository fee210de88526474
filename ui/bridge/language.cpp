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
  QCoreApplication::removeTranslator(&words_);
  QCoreApplication::removeTranslator(&fields_);
  QCoreApplication::removeTranslator(&dialogs_);
  QCoreApplication::removeTranslator(&messages_);
}

void Language::use(const QString& wanted) {
  const QString asked = wanted == QLatin1String("system") ? QLocale::system().name().left(2) : wanted;
  const auto known = choices();
  const bool has = std::any_of(known.begin(), known.end(), [&](const Choice& choice) { return choice.name == asked; });
  const QString name = has ? asked : QStringLiteral("en");
  if (name == name_) return;
  remove();
  name_ = name;
  QLocale::setDefault(name == QLatin1String("de") ? QLocale(QLocale::German) : QLocale::system());
  if (dialogs_.load(QStringLiteral("qtbase_") + name, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(&dialogs_);
  if (fields_.load(QStringLiteral(":/i18n/batchwise_fields_%1.qm").arg(name)))
    QCoreApplication::installTranslator(&fields_);
  if (messages_.loadPatterns(QStringLiteral(":/i18n/batchwise_core_%1.ts").arg(name)))
    QCoreApplication::installTranslator(&messages_);
  if (words_.load(QStringLiteral(":/i18n/batchwise_%1.qm").arg(name))) QCoreApplication::installTranslator(&words_);
}

}  // namespace batchwise
