// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/translations.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QLocale>
#include <QtCore/QTranslator>

namespace batchwise {

void installTranslations(QCoreApplication& application) {
  for (const QLocale& locale : {QLocale(QLocale::English), QLocale()})  // the later one is asked first
    for (const char* name : {"batchwise_messages", "batchwise"}) {
      auto* translator = new QTranslator(&application);
      if (translator->load(locale, QString::fromLatin1(name), QStringLiteral("_"), QStringLiteral(":/i18n")))
        QCoreApplication::installTranslator(translator);
    }
}

}  // namespace batchwise
