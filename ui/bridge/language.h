// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QString>
#include <QtCore/QTranslator>

#include "ui/bridge/core_messages.h"

namespace batchwise {

/// The language of the window's words, for the whole application. English is that of the source; its translation holds
/// the plural forms. Words that are shown already stay as they are. GUI thread; one per application.
class Language {
 public:
  Language() = default;
  ~Language();
  Language(const Language&) = delete;
  Language& operator=(const Language&) = delete;

  struct Choice {
    QString name;    ///< "en"
    QString itself;  ///< "English": what it is called by those who speak it
  };
  static QList<Choice> choices();

  /// "en", "de", or "system": that of the desktop if it is among the choices, else English.
  void use(const QString& name);
  /// "en" or "de".
  const QString& name() const { return name_; }

 private:
  void remove();

  QString name_;
  QTranslator words_, fields_, dialogs_;  // of the window, of the settings, Qt's own
  CoreMessages messages_;
};

}  // namespace batchwise
