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

bool isPlace(const QString& text, qsizetype at, QChar before) {
  return at + 1 < text.size() && text[at] == before && text[at + 1].isDigit();
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
  pattern.beginsWithWords = !isPlace(source, 0, QLatin1Char('%'));
  QString expression, literal;
  const auto endLiteral = [&] {
    if (literal.size() > pattern.longest.size()) pattern.longest = literal;
    pattern.literals += literal.size();
    expression += QRegularExpression::escape(literal);
    literal.clear();
  };
  for (qsizetype i = 0; i < source.size(); ++i) {
    if (!isPlace(source, i, QLatin1Char('%'))) {
      literal += source[i];
      continue;
    }
    endLiteral();
    expression += QStringLiteral("(.*?)");
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
    if (match.hasMatch()) return filledIn(pattern, match, depth);
  }
  return {};
}

QString CoreMessages::filledIn(const Pattern& pattern, const QRegularExpressionMatch& match, int depth) const {
  const auto argument = [&](int place) {
    const auto at = std::find(pattern.places.begin(), pattern.places.end(), place);
    return at == pattern.places.end() ? QString() : match.captured(static_cast<int>(at - pattern.places.begin()) + 1);
  };
  QString out;
  const QString& to = pattern.translation;
  for (qsizetype i = 0; i < to.size(); ++i) {
    if (isPlace(to, i, QLatin1Char('%'))) {
      out += argument(to[++i].digitValue());
    } else if (isPlace(to, i, QLatin1Char('{')) && i + 2 < to.size() && to[i + 2] == QLatin1Char('}')) {
      const QString inner = argument(to[i + 1].digitValue());
      const QString said = this->said(inner, depth + 1);
      out += said.isNull() ? inner : said;
      i += 2;
    } else {
      out += to[i];
    }
  }
  return out;
}

}  // namespace batchwise
