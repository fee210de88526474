// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QList>
#include <QtCore/QString>
#include <QtCore/QTranslator>
#include <array>

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
  std::array<QTranslator, 4> translators_;  // Qt's own, of fields, of messages of core, of the window
};

}  // namespace batchwise
