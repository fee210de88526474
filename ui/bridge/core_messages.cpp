// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/core_messages.h"

#include <QtCore/QFile>
#include <QtCore/QXmlStreamReader>
#include <algorithm>
#include <cstring>

namespace batchwise {
namespace {

constexpr int kDeepest = 6;           // messages within messages
constexpr qsizetype kLongest = 4000;  // letters of a message that is looked up
constexpr qsizetype kFew = 11;        // letters of a pattern that many a message fits by chance

bool isPlace(const QString& text, qsizetype at, QChar before) {
  return at + 1 < text.size() && text[at] == before && text[at + 1].isDigit();
}

/// What fits a place of a pattern there; null if there is none.
QString captureAt(const QString& source, qsizetype at) {
  if (isPlace(source, at, QLatin1Char('%'))) return QStringLiteral("(.*?)");
  return isPlace(source, at, QLatin1Char('#')) ? QStringLiteral("([-+]?[0-9][0-9.,]*(?:e[-+]?[0-9]+)?[kMGTPE]?)")
                                               : QString();
}

}  // namespace

bool CoreMessages::loadPatterns(const QString& name) {
  patterns_.clear();
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly)) return false;
  QXmlStreamReader xml(&file);
  QString source;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == QLatin1String("source"))
      source = xml.readElementText();
    else if (xml.name() == QLatin1String("translation"))
      patterns_.push_back(patternOf(source, xml.readElementText()));
  }
  // One that begins with words of its own says more than one that may begin with anything.
  std::stable_sort(patterns_.begin(), patterns_.end(), [](const Pattern& a, const Pattern& b) {
    return std::pair(a.beginsWithWords, a.literals) > std::pair(b.beginsWithWords, b.literals);
  });
  return !xml.hasError();
}

CoreMessages::Pattern CoreMessages::patternOf(const QString& source, const QString& translation) {
  Pattern pattern;
  pattern.translation = translation;
  pattern.beginsWithWords = captureAt(source, 0).isNull();
  QString expression, literal;
  const auto endLiteral = [&] {
    if (literal.size() > pattern.longest.size()) pattern.longest = literal;
    pattern.literals += literal.size();
    expression += QRegularExpression::escape(literal);
    literal.clear();
  };
  for (qsizetype i = 0; i < source.size(); ++i) {
    const QString capture = captureAt(source, i);
    if (capture.isNull()) {
      literal += source[i];
      pattern.hasWords = pattern.hasWords || source[i].isLetter();
      continue;
    }
    endLiteral();
    expression += capture;
    pattern.hasFigure = pattern.hasFigure || source[i] == QLatin1Char('#');
    pattern.places.push_back(source[++i].digitValue());
  }
  endLiteral();
  pattern.whole = QRegularExpression(QRegularExpression::anchoredPattern(expression),
                                     QRegularExpression::DotMatchesEverythingOption);
  return pattern;
}

QString CoreMessages::translate(const char* context, const char* text, const char*, int) const {
  if (patterns_.empty() || context == nullptr || std::strcmp(context, "core") != 0) return {};
  return said(QString::fromUtf8(text), 0);
}

/// Null if no pattern fits.
QString CoreMessages::said(const QString& message, int depth) const {
  if (message.isEmpty() || message.size() > kLongest || depth > kDeepest) return {};
  for (const Pattern& pattern : patterns_) {
    if (!message.contains(pattern.longest)) continue;
    const auto match = pattern.whole.match(message);
    if (!match.hasMatch()) continue;
    if (const QString words = filledIn(pattern, match, depth); !words.isNull()) return words;
  }
  return {};
}

/// Null for a pattern of few words behind anything if nothing of what it nests is known: it fits by chance, and would
/// translate half.
QString CoreMessages::filledIn(const Pattern& pattern, const QRegularExpressionMatch& match, int depth) const {
  const auto argument = [&](int place) {
    const auto at = std::find(pattern.places.begin(), pattern.places.end(), place);
    return at == pattern.places.end() ? QString() : match.captured(static_cast<int>(at - pattern.places.begin()) + 1);
  };
  QString out;
  bool nests = false, known = false;
  const QString& to = pattern.translation;
  for (qsizetype i = 0; i < to.size(); ++i) {
    if (isPlace(to, i, QLatin1Char('%'))) {
      out += argument(to[++i].digitValue());
    } else if (isPlace(to, i, QLatin1Char('{')) && i + 2 < to.size() && to[i + 2] == QLatin1Char('}')) {
      const QString inner = argument(to[i + 1].digitValue());
      // "tags: …" names a key, though "tags" alone is a word that is said elsewhere.
      const bool isKey = !pattern.hasWords && !inner.contains(QLatin1Char(' '));
      const QString said = isKey ? QString() : this->said(inner, depth + 1);
      out += said.isNull() ? inner : said;
      nests = true;
      known = known || !said.isNull();
      i += 2;
    } else {
      out += to[i];
    }
  }
  const bool isLoose = pattern.hasWords && !pattern.beginsWithWords && !pattern.hasFigure && pattern.literals <= kFew;
  return isLoose && nests && !known ? QString() : out;
}

}  // namespace batchwise
