// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/svg_text.h"

#include <QtCore/QMap>
#include <QtCore/QXmlStreamReader>
#include <QtCore/QXmlStreamWriter>
#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>
#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

/// The attributes in force at an element.
struct Style {
  QMap<QString, QString> values;
  QTransform transform;

  QString value(const char* name) const { return values.value(QString::fromLatin1(name)); }
};

QTransform matrixOf(const QString& text) {
  if (!text.startsWith(QLatin1String("matrix("))) return {};
  const QStringList parts = text.mid(7).chopped(1).split(QLatin1Char(','));
  if (parts.size() != 6) return {};
  const auto number = [&](int at) { return parts[at].toDouble(); };
  return {number(0), number(1), number(2), number(3), number(4), number(5)};
}

Style inherited(const Style& around, const QXmlStreamAttributes& attributes) {
  Style style = around;
  for (const QXmlStreamAttribute& attribute : attributes) {
    const QString name = attribute.name().toString(), value = attribute.value().toString();
    if (name == QLatin1String("transform"))
      style.transform = matrixOf(value) * around.transform;
    else
      style.values[name] = value;
  }
  return style;
}

SvgText textOf(const Style& style, const QString& text) {
  SvgText made;
  made.text = text;
  made.at = {style.value("x").toDouble(), style.value("y").toDouble()};
  made.transform = style.transform;
  made.size = style.value("font-size").remove(QLatin1String("px")).toDouble();
  for (QString family : style.value("font-family").split(QLatin1Char(',')))
    made.families << family.remove(QLatin1Char('\'')).trimmed();
  const QString weight = style.value("font-weight"), anchor = style.value("text-anchor");
  made.weight = weight == QLatin1String("bold") ? QFont::Bold : std::max(weight.toInt(), int{QFont::Normal});
  made.color = QColor(style.value("fill"));
  if (const QString opacity = style.value("fill-opacity"); !opacity.isEmpty()) made.color.setAlphaF(opacity.toFloat());
  made.anchor = anchor == QLatin1String("middle") ? 0.5 : anchor == QLatin1String("end") ? 1 : 0;
  return made;
}

}  // namespace

std::vector<SvgText> takeTexts(QByteArray& svg) {
  std::vector<SvgText> texts;
  std::vector<Style> styles(1);
  QByteArray rest;
  QXmlStreamReader reader(svg);
  reader.setNamespaceProcessing(false);  // names are written as they are
  QXmlStreamWriter writer(&rest);
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement()) {
      styles.push_back(inherited(styles.back(), reader.attributes()));
      if (reader.name() == QLatin1String("text")) {
        texts.push_back(textOf(styles.back(), reader.readElementText(QXmlStreamReader::IncludeChildElements)));
        styles.pop_back();
        continue;
      }
    } else if (reader.isEndElement()) {
      styles.pop_back();
    }
    if (!reader.hasError()) writer.writeCurrentToken(reader);
  }
  if (reader.hasError()) return {};  // drawn as it is
  svg = rest;
  return texts;
}

void drawTexts(QPainter& painter, const std::vector<SvgText>& texts, double scale) {
  for (const SvgText& text : texts) {
    QFont font;
    font.setFamilies(text.families);
    font.setWeight(static_cast<QFont::Weight>(text.weight));
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(text.size * scale))));
    const double width = QFontMetricsF(font, painter.device()).horizontalAdvance(text.text);
    painter.save();
    painter.setTransform(QTransform::fromScale(1 / scale, 1 / scale) * text.transform *
                         QTransform::fromScale(scale, scale));
    painter.setFont(font);
    painter.setPen(text.color);
    painter.drawText(text.at * scale - QPointF(text.anchor * width, 0), text.text);
    painter.restore();
  }
}

}  // namespace batchwise
