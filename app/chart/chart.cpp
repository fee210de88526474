// SPDX-License-Identifier: GPL-3.0-or-later
// Program batchwise-chart SOURCE.svg TARGET.pdf|TARGET.png WIDTH_CM HEIGHT_CM DPI: renders an SVG file as PDF or PNG at
// a given size, without a display. Exit codes: 0 success, 1 failure, 2 bad arguments.

#include <QtCore/QFile>
#include <QtGui/QGuiApplication>
#include <cstdio>

#include "core/base/process_setup.h"
#include "ui/theme/svg_picture.h"

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication application(argc, argv);
  batchwise::useCLocale();
  const QStringList arguments = QGuiApplication::arguments();
  if (arguments.size() != 6) {
    std::fputs("use: batchwise-chart SOURCE.svg TARGET.pdf|TARGET.png WIDTH_CM HEIGHT_CM DPI\n", stderr);
    return 2;
  }
  QFile source(arguments[1]), target(arguments[2]);
  QString problem;
  if (!source.open(QIODevice::ReadOnly)) {
    problem = source.errorString();
  } else {
    const auto drawn = batchwise::drawSvgPicture(
        source.readAll(), arguments[2], {arguments[3].toDouble(), arguments[4].toDouble(), arguments[5].toInt()});
    problem = drawn.problem;
    if (problem.isEmpty() &&
        (!target.open(QIODevice::WriteOnly) || target.write(drawn.bytes) != drawn.bytes.size() || !target.flush()))
      problem = target.errorString();
  }
  if (problem.isEmpty()) return 0;
  std::fprintf(stderr, "batchwise-chart: %s\n", qPrintable(problem));
  return 1;
}
