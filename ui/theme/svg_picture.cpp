// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/svg_picture.h"

#include <QtCore/QBuffer>
#include <QtCore/QMap>
#include <QtCore/QXmlStreamReader>
#include <QtCore/QXmlStreamWriter>
#include <QtGui/QFontMetricsF>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>
#include <QtSvg/QSvgGenerator>
#include <QtSvg/QSvgRenderer>
#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

constexpr double kMaxPixels = 1e8;  // of a PNG, as on the command line

/// QSvgRenderer would draw texts as outlines.
void drawPdf(QByteArray svg, const PictureSize& size, QBuffer& file) {
  const std::vector<SvgText> texts = takeTexts(svg);
  QSvgRenderer drawing(svg);
  QPdfWriter writer(&file);
  writer.setCreator(QStringLiteral("Batchwise"));
  writer.setResolution(1200);
  writer.setPageMargins({});
  writer.setPageSize(QPageSize(QSizeF(size.widthCm * 10, size.heightCm * 10), QPageSize::Millimeter));
  QPainter painter(&writer);
  drawing.render(&painter, QRectF(0, 0, writer.width(), writer.height()));
  drawTexts(painter, texts, writer.width() / drawing.viewBoxF().width());
}

double pixelCount(const PictureSize& size) {
  return size.widthCm * size.heightCm * size.dpi * size.dpi / (2.54 * 2.54);
}

bool drawPng(QSvgRenderer& drawing, const PictureSize& size, QBuffer& file) {
  const auto pixels = [&](double cm) { return static_cast<int>(std::lround(cm / 2.54 * size.dpi)); };
  QImage image(pixels(size.widthCm), pixels(size.heightCm), QImage::Format_RGB32);
  if (image.isNull()) return false;
  image.setText(QStringLiteral("Software"), QStringLiteral("Batchwise"));
  image.fill(Qt::white);
  image.setDotsPerMeterX(static_cast<int>(std::lround(size.dpi / 0.0254)));
  image.setDotsPerMeterY(image.dotsPerMeterX());
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  drawing.render(&painter, QRectF(image.rect()));
  painter.end();
  return image.save(&file, "PNG");
}

}  // namespace

DrawnPicture drawSvgPicture(const QByteArray& svg, const QString& file, const PictureSize& size) {
  QSvgRenderer drawing(svg);
  if (!drawing.isValid()) return {{}, QObject::tr("The drawing is not a readable SVG file")};
  QBuffer bytes;
  bytes.open(QIODevice::WriteOnly);
  if (file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) {
    drawPdf(svg, size, bytes);
  } else if (file.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
    if (pixelCount(size) > kMaxPixels)
      return {{},
              QObject::tr("A PNG of this size has more than 100 million pixels. Choose a smaller size or resolution")};
    if (!drawPng(drawing, size, bytes))
      return {{}, QObject::tr("There is not enough memory for a picture of this size")};
  } else {
    bytes.write(svg);
  }
  return {bytes.data(), {}};
}

QByteArray recordSvg(const PictureSize& size, const std::function<void(QPainter&, QSizeF)>& paint) {
  constexpr int kDpi = 96;
  const QSizeF area = QSizeF(size.widthCm, size.heightCm) * (kDpi / 2.54);
  QByteArray svg;
  QBuffer buffer(&svg);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(kDpi);
  generator.setSize(area.toSize());
  generator.setViewBox(QRectF(QPointF(), area));
  QPainter painter(&generator);
  paint(painter, area);
  painter.end();
  svg.insert(svg.indexOf("<svg"), "<!-- Generator: Batchwise -->\n");
  return svg;
}

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
