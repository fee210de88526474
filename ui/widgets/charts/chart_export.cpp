// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/chart_export.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QPainter>
#include <QtWidgets/QDialog>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include "ui/models/chart_rows.h"
#include "ui/models/display_text.h"
#include "ui/models/text_table_model.h"
#include "ui/presenters/output_writing.h"
#include "ui/widgets/charts/chart_painter.h"
#include "ui/widgets/parts/text_label.h"

namespace batchwise {
namespace {

constexpr std::size_t kMaxTableRows = 5'000;

struct ChartExport {
  Q_DECLARE_TR_FUNCTIONS(ChartExport)
};

}  // namespace

QByteArray chartSvg(const SeriesChart& chart, const PictureSize& size) {
  return recordSvg(size, [&](QPainter& painter, QSizeF area) {
    constexpr double kPixel = 1e-3;  // so small that no line is dense
    Theme light;
    light.setAppearance(Appearance::Light);
    const PlotFrame frame = plotFrame(chart.content(), chart.setting(), area, QFontMetricsF(light.smallFont()));
    const auto drawn = drawnLines(chart.content(), frame, 2 * static_cast<int>(frame.plot.width()));
    const ChartScene scene{chart.spec(), chart.content(), frame, light, area, drawn, kPixel};
    paintBackground(painter, scene);
    paintLines(painter, scene);
    paintForeground(painter, scene);
  });
}

QString exportPicture(const SeriesChart& chart, const QString& file, const PictureSize& size) {
  const DrawnPicture drawn = drawSvgPicture(chartSvg(chart, size), file, size);
  return drawn.problem.isEmpty() ? writeChosenFile(file, drawn.bytes) : drawn.problem;
}

void showTable(const SeriesChart& chart) {
  auto* dialog = new QDialog(chart.window());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("chartTable"));
  dialog->setWindowTitle(ChartExport::tr("Values: %1").arg(chart.spec().title));
  auto* model = new TextTableModel(dialog);
  model->setTable(ChartRows(chart.content(), AxisRange{chart.frame().xLow, chart.frame().xHigh}).next(kMaxTableRows));
  auto* view = new QTableView(dialog);
  view->setModel(model);
  view->setAccessibleName(dialog->windowTitle());
  auto* caption = textLabel(dialog, TextLook::Muted);
  caption->setText(model->rowCount() == static_cast<int>(kMaxTableRows)
                       ? ChartExport::tr("The first %1 rows of the shown part. Zoom in for others, or save the values.")
                             .arg(integerText(model->rowCount()))
                       : ChartExport::tr("%n row(s) of the shown part", nullptr, model->rowCount()));
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(view, 1);
  layout->addWidget(caption);
  dialog->resize(chart.window()->size() / 2);
  dialog->show();
}

}  // namespace batchwise
