// SPDX-License-Identifier: GPL-3.0-or-later
// batchwise-chart SOURCE.svg TARGET.pdf|TARGET.png WIDTH_CM HEIGHT_CM DPI: draws an SVG file at a size. Needs no
// display. Exit codes: 0 done, 1 failed, 2 bad arguments.

#include <QtCore/QFile>
#include <QtGui/QGuiApplication>
#include <cstdio>

#include "core/base/plain_locale.h"
#include "ui/theme/svg_picture.h"

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication application(argc, argv);
  batchwise::keepPlainLocale();
  const QStringList words = QGuiApplication::arguments();
  if (words.size() != 6) {
    std::fputs("use: batchwise-chart SOURCE.svg TARGET.pdf|TARGET.png WIDTH_CM HEIGHT_CM DPI\n", stderr);
    return 2;
  }
  QFile source(words[1]), target(words[2]);
  QString problem;
  if (!source.open(QIODevice::ReadOnly)) {
    problem = source.errorString();
  } else {
    const auto drawn = batchwise::drawSvgPicture(source.readAll(), words[2],
                                                 {words[3].toDouble(), words[4].toDouble(), words[5].toInt()});
    problem = drawn.problem;
    if (problem.isEmpty() &&
        (!target.open(QIODevice::WriteOnly) || target.write(drawn.bytes) != drawn.bytes.size() || !target.flush()))
      problem = target.errorString();
  }
  if (problem.isEmpty()) return 0;
  std::fprintf(stderr, "batchwise-chart: %s\n", qPrintable(problem));
  return 1;
}
