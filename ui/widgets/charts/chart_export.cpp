// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/charts/chart_export.h"

#include <QtCore/QPointer>
#include <QtGui/QPainter>
#include <QtWidgets/QDialog>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTableView>

#include "ui/models/chart_content.h"
#include "ui/models/display_text.h"
#include "ui/models/table_model.h"
#include "ui/presenters/file_jobs.h"
#include "ui/widgets/charts/chart_painter.h"
#include "ui/widgets/parts/dialogs.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/message_bar.h"

namespace batchwise {
namespace {

constexpr std::size_t kMaxTableRows = 5'000;

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

QString writePicture(const QByteArray& svg, const QString& file, const PictureSize& size) {
  const DrawnPicture drawn = drawSvgPicture(svg, file, size);
  return drawn.problem.isEmpty() ? writeChosenFile(file, drawn.bytes) : drawn.problem;
}

QString exportPicture(const SeriesChart& chart, const QString& file, const PictureSize& size) {
  return writePicture(chartSvg(chart, size), file, size);
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
  column(dialog, {{view, 1}, caption});
  dialog->resize(chart.window()->size() / 2);
  dialog->show();
}

ChartExport::ChartExport(StudioSettings& settings, CsvExportJobs& saving, MessageBar& message, QWidget& page)
    : QObject(&page), settings_(settings), saving_(saving), message_(message), page_(page) {}

void ChartExport::openMenu(SeriesChart& chart, QPoint place) {
  auto* menu = new QMenu(&page_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  addPictureSizes(*menu->addMenu(tr("Save picture")), page_, [this, chart = QPointer(&chart)](const PictureSize& size) {
    if (chart != nullptr) choosePicture(*chart, size);
  });
  connect(menu->addAction(tr("Save values of the shown part…")), &QAction::triggered, &chart, [this, &chart] {
    chooseValues(chart, AxisRange{chart.frame().xLow, chart.frame().xHigh});
  });
  connect(menu->addAction(tr("Save all values…")), &QAction::triggered, &chart,
          [this, &chart] { chooseValues(chart, {}); });
  connect(menu->addAction(tr("Show values as a table")), &QAction::triggered, &chart, [&chart] { showTable(chart); });
  menu->popup(place);
}

void ChartExport::choosePicture(const SeriesChart& chart, const PictureSize& size) {
  const QString file = chooseFile(chart, tr("Save picture"), QStringLiteral(".svg"),
                                  tr("Drawing (*.svg);;Document (*.pdf);;Picture (*.png)"));
  if (file.isEmpty()) return;
  const QString problem = exportPicture(chart, file, size);
  problem.isEmpty() ? message_.showWritten(file) : message_.showError(problem);
}

void ChartExport::chooseValues(const SeriesChart& chart, std::optional<AxisRange> part) {
  const QString file = chooseFile(chart, tr("Save values"), QStringLiteral(".csv"), tr("CSV (*.csv)"));
  if (!file.isEmpty()) saving_.save(std::make_unique<ChartRows>(chart.content(), part), file);
}

/// Replaces characters that file names cannot have: titles of further charts come from the run.
QString ChartExport::chooseFile(const SeriesChart& chart, const QString& title, const QString& ending,
                                const QString& filters) {
  QString name = chart.spec().title;
  for (QChar& letter : name)
    if (letter == QLatin1Char('/') || !letter.isPrint()) letter = QLatin1Char('-');
  if (name.startsWith(QLatin1Char('.'))) name.prepend(QLatin1Char('-'));
  return askForFileToWrite(page_, settings_, QStringLiteral("chart"), {title, name + ending, filters});
}

}  // namespace batchwise
