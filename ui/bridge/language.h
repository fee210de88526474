// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QString>
#include <QtCore/QTranslator>

namespace batchwise {

/// Installs the translators of the selected language in the application. English is the source language; its
/// translation holds plural forms only. Texts that are already shown do not change. GUI thread; one per application.
class Language {
 public:
  Language() = default;
  ~Language();
  Language(const Language&) = delete;
  Language& operator=(const Language&) = delete;

  struct Choice {
    QString name;        ///< "en"
    QString nativeName;  ///< native name: "English"
  };
  static QList<Choice> choices();

  /// Accepts "en", "de", or "system": the desktop's language if it is among choices(), else English.
  void setLanguage(const QString& name);
  /// Returns "en" or "de".
  const QString& name() const { return name_; }

 private:
  void remove();

  QString name_;
  QTranslator windowTranslator_, fieldTranslator_, coreTranslator_;  // texts of the window, of fields, of core
  QTranslator qtTranslator_;                                         // Qt's own
};

}  // namespace batchwise
