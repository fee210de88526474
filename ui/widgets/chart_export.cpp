// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_export.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QSaveFile>
#include <QtGui/QPainter>
#include <QtWidgets/QDialog>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>
#include <algorithm>

#include "core/base/format.h"
#include "ui/models/text_table_model.h"
#include "ui/models/words.h"
#include "ui/widgets/chart_painter.h"
#include "ui/widgets/text_label.h"

namespace batchwise {
namespace {

constexpr std::size_t kMostTableRows = 5'000;

struct ChartExport {
  Q_DECLARE_TR_FUNCTIONS(ChartExport)
};

QString lineTitle(const ChartLine& line) {
  if (line.kind == LineKind::Superseded) return ChartExport::tr("superseded");
  if (line.name.isEmpty()) return ChartExport::tr("every value");
  return line.derived ? ChartExport::tr("%1, smoothed").arg(line.name) : line.name;
}

/// Walks along one line.
struct Walk {
  const ChartLine* line;
  std::size_t next, end;
  bool done() const { return next == end; }
  double batch() const { return line->points.x(next); }
};

std::vector<Walk> walksOf(const ChartContent& content, std::optional<AxisRange> part) {
  std::vector<Walk> walks;
  for (const ChartLine& line : content.lines) {
    if (line.kind == LineKind::Reference) continue;
    Walk walk{&line, 0, line.points.size()};
    if (part) {
      walk.next = line.points.firstAtOrAfter(content.map.batchAt(part->low));
      walk.end = std::max(walk.next, line.points.firstAfter(content.map.batchAt(part->high)));
    }
    walks.push_back(walk);
  }
  return walks;
}

}  // namespace

QByteArray chartSvg(const SeriesChart& chart, const PictureSize& size) {
  return paintedSvg(size, [&](QPainter& painter, QSizeF area) {
    constexpr double kPixel = 1e-3;  // fine enough that no line is drawn as bars
    Theme light;
    light.setAppearance(Appearance::Light);
    const PlotFrame frame = plotFrame(chart.content(), chart.setting(), area, QFontMetricsF(light.smallFont()));
    const auto drawn = drawnLines(chart.content(), frame, 2 * static_cast<int>(frame.plot.width()));
    const ChartScene scene{chart.spec(), chart.content(), frame, light, area, drawn, kPixel};
    paintBehind(painter, scene);
    paintLines(painter, scene);
    paintAround(painter, scene);
  });
}

TextTable chartTable(const ChartContent& content, std::optional<AxisRange> part, std::size_t mostRows) {
  TextTable table;
  const bool mapped = content.clock != RunClock::Batches;
  table.columns.push_back({clockWord(RunClock::Batches).toStdString(), true});
  if (mapped) table.columns.push_back({clockWord(content.clock).toStdString(), true});
  std::vector<Walk> walks = walksOf(content, part);
  for (const Walk& walk : walks) table.columns.push_back({lineTitle(*walk.line).toStdString(), true});
  while (table.rows.size() < mostRows) {
    const auto first = std::min_element(walks.begin(), walks.end(), [](const Walk& a, const Walk& b) {
      return !a.done() && (b.done() || a.batch() < b.batch());
    });
    if (first == walks.end() || first->done()) break;
    const double batch = first->batch();
    std::vector<std::string> row{formatExact(batch)};
    if (mapped) row.push_back(formatExact(content.map.at(batch)));
    for (Walk& walk : walks) {
      const bool has = !walk.done() && walk.batch() == batch;
      row.push_back(has ? formatExact(walk.line->points.y(walk.next++)) : std::string());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

QString exportPicture(const SeriesChart& chart, const QString& file, const PictureSize& size) {
  return writeSvgPicture(chartSvg(chart, size), file, size);
}

QString exportValues(const SeriesChart& chart, const QString& file, std::optional<AxisRange> part) {
  QSaveFile target(file);
  const std::string text = tableText(chartTable(chart.content(), part), TableForm::Csv);
  const bool written = target.open(QIODevice::WriteOnly) &&
                       target.write(text.data(), static_cast<qint64>(text.size())) == static_cast<qint64>(text.size()) &&
                       target.commit();
  return written ? QString() : ChartExport::tr("%1: %2").arg(file, target.errorString());
}

void showTable(const SeriesChart& chart) {
  auto* dialog = new QDialog(chart.window());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("chartTable"));
  dialog->setWindowTitle(ChartExport::tr("Values: %1").arg(chart.spec().title));
  auto* model = new TextTableModel(dialog);
  model->setTable(chartTable(chart.content(), AxisRange{chart.frame().xLow, chart.frame().xHigh}, kMostTableRows));
  auto* view = new QTableView(dialog);
  view->setModel(model);
  view->setAccessibleName(dialog->windowTitle());
  auto* told = textLabel(dialog, TextLook::Muted);
  told->setText(model->rowCount() == static_cast<int>(kMostTableRows)
                    ? ChartExport::tr("The first %1 rows of the shown part. Zoom in for others, or save the values.")
                          .arg(integerText(model->rowCount()))
                    : ChartExport::tr("%n row(s) of the shown part", nullptr, model->rowCount()));
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(view, 1);
  layout->addWidget(told);
  dialog->resize(chart.window()->size() / 2);
  dialog->show();
}

}  // namespace batchwise
