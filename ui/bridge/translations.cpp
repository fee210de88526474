// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/translations.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QLocale>
#include <QtCore/QTranslator>

namespace batchwise {

void installTranslations(QCoreApplication& application) {
  for (const QLocale& locale : {QLocale(QLocale::English), QLocale()}) {  // the later one is asked first
    auto* translator = new QTranslator(&application);
    if (translator->load(locale, QStringLiteral("batchwise"), QStringLiteral("_"), QStringLiteral(":/i18n")))
      QCoreApplication::installTranslator(translator);
  }
}

}  // namespace batchwise
