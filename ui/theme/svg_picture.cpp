// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/svg_picture.h"

#include <QtCore/QBuffer>
#include <QtCore/QCoreApplication>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>
#include <QtSvg/QSvgGenerator>
#include <QtSvg/QSvgRenderer>
#include <cmath>

#include "ui/theme/svg_text.h"

namespace batchwise {
namespace {

constexpr double kMaxPixels = 1e8;  // of a PNG, as on the command line

struct Words {
  Q_DECLARE_TR_FUNCTIONS(SvgPicture)
};

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
  if (!drawing.isValid()) return {{}, Words::tr("The drawing is not a readable SVG file")};
  QBuffer bytes;
  bytes.open(QIODevice::WriteOnly);
  if (file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) {
    drawPdf(svg, size, bytes);
  } else if (file.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) {
    if (pixelCount(size) > kMaxPixels)
      return {{},
              Words::tr("A PNG of this size has more than 100 million pixels. Choose a smaller size or resolution")};
    if (!drawPng(drawing, size, bytes)) return {{}, Words::tr("There is not enough memory for a picture of this size")};
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

}  // namespace batchwise
