// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/picture.h"

#include <QtCore/QBuffer>
#include <QtGui/QImage>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>
#include <QtSvg/QSvgGenerator>
#include <cmath>

namespace batchwise {
namespace {

constexpr double kMaxPixels = 1e8;  // of a PNG, as on the command line

QSizeF areaOf(const PictureSize& size, double dpi) {
  return QSizeF(size.widthCm, size.heightCm) * (dpi / 2.54);
}

/// Plays the picture in its true size, which the resolution of the device tells.
void play(const QPicture& picture, QPaintDevice& device) {
  QPainter(&device).drawPicture(0, 0, picture);
}

QByteArray svgOf(const QPicture& picture, const PictureSize& size) {
  const QSizeF area = areaOf(size, picture.logicalDpiX());
  QBuffer svg;
  QSvgGenerator generator;
  generator.setOutputDevice(&svg);
  generator.setResolution(picture.logicalDpiX());
  generator.setSize(area.toSize());
  generator.setViewBox(QRectF(QPointF(), area));
  play(picture, generator);
  return QByteArray(svg.data()).insert(svg.data().indexOf("<svg"), "<!-- Generator: Batchwise -->\n");
}

QByteArray pdfOf(const QPicture& picture, const PictureSize& size) {
  QBuffer pdf;
  pdf.open(QIODevice::WriteOnly);
  QPdfWriter writer(&pdf);
  writer.setCreator(QStringLiteral("Batchwise"));
  writer.setResolution(1200);
  writer.setPageMargins({});
  writer.setPageSize(QPageSize(QSizeF(size.widthCm * 10, size.heightCm * 10), QPageSize::Millimeter));
  play(picture, writer);
  return pdf.data();
}

}  // namespace

QPicture recordPicture(const PictureSize& size, const std::function<void(QPainter&, QSizeF)>& paint) {
  QPicture picture;
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  paint(painter, areaOf(size, picture.logicalDpiX()));
  painter.end();
  return picture;
}

DrawnPicture drawPicture(const QPicture& picture, const QString& file, const PictureSize& size) {
  if (file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) return {pdfOf(picture, size), {}};
  if (!file.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) return {svgOf(picture, size), {}};
  const QSizeF area = areaOf(size, size.dpi);
  if (area.width() * area.height() > kMaxPixels)
    return {{},
            QObject::tr("A PNG of this size has more than 100 million pixels. Choose a smaller size or resolution")};
  QImage image(area.toSize(), QImage::Format_RGB32);
  QBuffer png;
  png.open(QIODevice::WriteOnly);
  if (!image.isNull()) {
    image.setText(QStringLiteral("Software"), QStringLiteral("Batchwise"));
    image.fill(Qt::white);
    image.setDotsPerMeterX(static_cast<int>(std::lround(size.dpi / 0.0254)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    play(picture, image);
  }
  if (!image.save(&png, "PNG")) return {{}, QObject::tr("There is not enough memory for a picture of this size")};
  return {png.data(), {}};
}

}  // namespace batchwise
