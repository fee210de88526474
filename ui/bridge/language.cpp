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
  QCoreApplication::removeTranslator(&windowTranslator_);
  QCoreApplication::removeTranslator(&fieldTranslator_);
  QCoreApplication::removeTranslator(&qtTranslator_);
  QCoreApplication::removeTranslator(&coreTranslator_);
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
  if (qtTranslator_.load(QStringLiteral("qtbase_") + name, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(&qtTranslator_);
  if (fieldTranslator_.load(QStringLiteral(":/i18n/batchwise_fields_%1.qm").arg(name)))
    QCoreApplication::installTranslator(&fieldTranslator_);
  if (coreTranslator_.load(QStringLiteral(":/i18n/batchwise_messages_%1.qm").arg(name)))
    QCoreApplication::installTranslator(&coreTranslator_);
  if (windowTranslator_.load(QStringLiteral(":/i18n/batchwise_%1.qm").arg(name)))
    QCoreApplication::installTranslator(&windowTranslator_);
}

}  // namespace batchwise
