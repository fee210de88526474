// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QRegularExpression>
#include <QtCore/QString>
#include <QtCore/QTranslator>
#include <vector>

namespace batchwise {

/// The messages of core in another language. Core has no Qt and writes its messages in English, with names and figures
/// filled in; here each is found again among patterns and said in the words of its translation. A value after load();
/// translate() may be called from any thread.
///
/// As a translator it answers for the context "core" alone: QCoreApplication::translate("core", message).
class CoreMessages final : public QTranslator {
 public:
  using QTranslator::QTranslator;

  /// Reads the file with the patterns: messages of a .ts file, whose sources hold %1 … %9 where the message fills
  /// something in, #1 … #9 where that is a figure ("1,200", "3.4M"). A translation holds %1 for the same text again, or
  /// {1} for its translation. False if the file cannot be read.
  bool loadPatterns(const QString& file);

  bool isEmpty() const override { return patterns_.empty(); }
  QString translate(const char* context, const char* text, const char* disambiguation = nullptr,
                    int n = -1) const override;

 private:
  struct Pattern {
    QString longest;  // of the literal parts: a message without it does not fit
    QRegularExpression whole;
    QString translation;
    bool beginsWithWords = false;
    bool hasWords = false, hasFigure = false;
    qsizetype literals = 0;   // letters that are not filled in
    std::vector<int> places;  // the number of each capture
  };
  static Pattern patternOf(const QString& source, const QString& translation);
  QString said(const QString& message, int depth) const;
  QString filledIn(const Pattern& pattern, const QRegularExpressionMatch& match, int depth) const;

  std::vector<Pattern> patterns_;  // the most literal ones first
};

}  // namespace batchwise
